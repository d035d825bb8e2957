-- claim: The elapsed cycles fall 112 times, from 3305314 to 29534.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, blocks of 256, profiler: elapsed cycles
-- confirmed if: atomic over block_reduce is 112 within 20 % (profile_metric gpc__cycles_elapsed.max of jacobi/reduction)
WITH counters AS (
  SELECT device, variant, waves, occupancy, active_sms, profile_metric.value
  FROM gpu_trial JOIN profile_metric USING (trial_id)
  WHERE system = 'jacobi' AND experiment IN ('reduction', 'reduction_cold') AND n = 1048576 AND block_size = 256
    AND name = 'gpc__cycles_elapsed.max'
    AND launch = (SELECT position FROM launch WHERE launch.trial_id = gpu_trial.trial_id
      AND launch.kernel = gpu_trial.kernel))
SELECT device, CASE WHEN abs(max(atomic.value) / max(block.value) / 111.9 - 1) <= 0.2 THEN 'confirmed'
  ELSE 'refuted' END AS verdict,
  printf('%.0f cycles with atomics and %.0f with the block reduction.', max(atomic.value), max(block.value))
    AS evidence,
  printf('Both have %.2f waves at %.0f %% occupancy; what falls is the number of additions to one address, 256 times.',
    max(block.waves), 100 * max(block.occupancy)) AS explanation
FROM counters AS atomic JOIN counters AS block USING (device)
WHERE atomic.variant = 'atomic' AND block.variant = 'block_reduce'
GROUP BY device;
