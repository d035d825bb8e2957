-- claim: The SMs' throughput rises from 0.48 % with atomics to 31.95 % with the block reduction.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, blocks of 256, profiler: SM 0.48 % and 31.95 %
-- confirmed if: sm__throughput is at most 1 % of its peak in atomic and 26 to 38 % in block_reduce (profile_metric
--   sm__throughput.avg.pct_of_peak_sustained_elapsed of jacobi/reduction)
WITH counters AS (
  SELECT device, variant, waves, occupancy, active_sms, profile_metric.value
  FROM gpu_trial JOIN profile_metric USING (trial_id)
  WHERE system = 'jacobi' AND experiment IN ('reduction', 'reduction_cold') AND n = 1048576 AND block_size = 256
    AND name = 'sm__throughput.avg.pct_of_peak_sustained_elapsed'
    AND launch = (SELECT position FROM launch WHERE launch.trial_id = gpu_trial.trial_id
      AND launch.kernel = gpu_trial.kernel))
SELECT device, CASE WHEN max(atomic.value) <= 1 AND max(block.value) BETWEEN 26 AND 38 THEN 'confirmed'
  ELSE 'refuted' END AS verdict,
  printf('%.2f %% with atomics and %.2f %% with the block reduction.', max(atomic.value), max(block.value)) AS evidence,
  printf('Both have %.2f waves and %.0f %% occupancy: atomics stop the warps, not a lack of them.', max(block.waves),
    100 * max(block.occupancy)) AS explanation
FROM counters AS atomic JOIN counters AS block USING (device)
WHERE atomic.variant = 'atomic' AND block.variant = 'block_reduce'
GROUP BY device;
