-- claim: With atomics and with CUB's block reduction alike, the profiler warns that SM and memory throughput are below
--   60 % of the peak, which typically means latency.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU: SM 0.48 and 31.95 %, memory 1.06 and 26.50 %
-- place: sections 5.2 and 5.5, the warning below the tables GPU Speed Of Light
-- derived: that latency shows in more warps that are stalled than warps that issue
-- holds if: no unit is driven to 60 % of its peak in atomic or in cub_block_reduce at N = 1048576, and in each more
--   warps are stalled than issue (views counter_speed_of_light and counter_stall, of the configurations of
--   jacobi/reduction, by 'tailwave counters' or Nsight Compute)
WITH
  counted AS (
    SELECT gpu_trial.trial_id, gpu_trial.device, gpu_trial.variant, waves, gpu_trial.occupancy, counter_run_id, position
    FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
      JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
        AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
    WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold')
      AND gpu_trial.variant IN ('atomic', 'cub_block_reduce') AND n = 1048576 AND block_size = 256),
  shares AS (
    SELECT counted.*,
      (SELECT max(share) FROM counter_speed_of_light AS light
       WHERE light.counter_run_id = counted.counter_run_id AND light.position = counted.position
         AND light.doubt IS NULL) AS most,
      (SELECT unit FROM counter_speed_of_light AS light
       WHERE light.counter_run_id = counted.counter_run_id AND light.position = counted.position
         AND light.doubt IS NULL ORDER BY share DESC, unit LIMIT 1) AS unit,
      (SELECT sum(per_issue) FROM counter_stall AS stall
       WHERE stall.counter_run_id = counted.counter_run_id AND stall.position = counted.position
         AND reason NOT IN ('selected', 'not_selected') AND stall.doubt IS NULL) AS stalled,
      (SELECT reason FROM counter_stall AS stall
       WHERE stall.counter_run_id = counted.counter_run_id AND stall.position = counted.position
         AND place = 1) AS reason
    FROM counted)
SELECT device,
  CASE WHEN max(atomic.stalled) IS NOT NULL AND max(cub.stalled) IS NOT NULL
    THEN max(atomic.most) < 0.6 AND max(cub.most) < 0.6 AND max(atomic.stalled) > 1 AND max(cub.stalled) > 1
    END AS holds,
  CASE WHEN max(atomic.stalled) IS NULL OR max(cub.stalled) IS NULL THEN 'There are no counters of stalls.'
    ELSE printf('The hardest driven unit is %s with atomics, %.2f %%, and %s with CUB, %.2f %%; for each warp that '
      || 'issues, %.1f and %.1f are stalled.', max(atomic.unit), 100 * max(atomic.most), max(cub.unit),
      100 * max(cub.most), max(atomic.stalled), max(cub.stalled)) END AS evidence,
  printf('They wait most for %s and %s, at a possible occupancy of %d and %d %%.',
    coalesce(max(atomic.reason), 'something'), coalesce(max(cub.reason), 'something'),
    round(100 * max(atomic.occupancy)), round(100 * max(cub.occupancy))) AS explanation,
  max(0.48, 1.06, 31.95, 26.50) < 60 AS holds_there,
  'The highest of its four shares is 31.95 %, of the SMs with CUB. It shows no stalls.' AS there
FROM shares AS atomic JOIN shares AS cub USING (device)
WHERE atomic.variant = 'atomic' AND cub.variant = 'cub_block_reduce' AND atomic.most IS NOT NULL
  AND cub.most IS NOT NULL
GROUP BY device;
