-- title: Published values beside ours; ratio above 1: ours is faster
-- parameters: :experiment, :system, :device
-- empty: no published figure is of what was measured
SELECT system || '/' || experiment AS experiment, run_device, device, kind, variant, named AS parameters,
  published_device, quantity, published_value, value AS our_value, ratio, configuration,
  iif(outcome = 'correct' AND unverified IS NOT NULL, 'unverified', outcome) AS outcome, invalid, note
FROM published_comparison
WHERE place = 1
  AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
ORDER BY system, published_comparison.experiment, run_kind DESC, run_device, published_id;
