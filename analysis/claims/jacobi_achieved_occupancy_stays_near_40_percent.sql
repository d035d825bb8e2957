-- claim: The achieved occupancy hardly changes, from 39.56 to 41.47 %.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, blocks of 256, profiler: achieved occupancy, of 50 % possible
-- confirmed if: it is 0.79 and 0.83 of the possible one, within 20 % (profile_metric
--   sm__warps_active.avg.pct_of_peak_sustained_active of jacobi/reduction)
WITH counters AS (
  SELECT device, variant, waves, occupancy, active_sms, profile_metric.value
  FROM gpu_trial JOIN profile_metric USING (trial_id)
  WHERE system = 'jacobi' AND experiment IN ('reduction', 'reduction_cold') AND n = 1048576 AND block_size = 256
    AND name = 'sm__warps_active.avg.pct_of_peak_sustained_active'
    AND launch = (SELECT position FROM launch WHERE launch.trial_id = gpu_trial.trial_id
      AND launch.kernel = gpu_trial.kernel))
SELECT device, CASE WHEN abs(max(atomic.value / 100 / atomic.occupancy) / 0.79 - 1) <= 0.2
  AND abs(max(block.value / 100 / block.occupancy) / 0.83 - 1) <= 0.2 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%.1f %% with atomics and %.1f %% with the block reduction.', max(atomic.value), max(block.value)) AS evidence,
  printf('Warps that wait for an atomic are resident all the same; both have %.2f waves of %.0f %% occupancy.',
    max(block.waves), 100 * max(block.occupancy)) AS explanation
FROM counters AS atomic JOIN counters AS block USING (device)
WHERE atomic.variant = 'atomic' AND block.variant = 'block_reduce'
GROUP BY device;
