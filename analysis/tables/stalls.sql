-- title: What the warps of counted launches waited for, in percent of their time (docs/counters.md)
-- parameters: :experiment, :system, :device, :limit (reasons of each launch, those that cost most; all)
-- empty: no stalls were counted; 'tailwave counters' without --quick does it on a GPU, and 'tailwave import --format ncu' takes Nsight Compute's CSV
-- needs: SELECT 1 FROM counter_run JOIN device ON device.id = device_id WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind)) AND (:limit IS NULL OR :limit > 0) LIMIT 1
SELECT system || '/' || experiment AS experiment, device, configuration, kernel, reason, 100 * share AS percent,
  per_issue, counter_stall.doubt
FROM counter_launch JOIN counter_stall USING (counter_run_id, position)
WHERE age = 1 AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, kind))
  AND (:limit IS NULL OR place <= :limit)
ORDER BY system, counter_launch.experiment, device, configuration, position, place IS NULL, place;
