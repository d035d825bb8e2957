-- claim: The elapsed cycles fall 112 times, from 3305314 to 29534.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, blocks of 256, profiler: elapsed cycles
-- place: TODO
-- holds if: atomic over block_reduce is 112 within 20 % (view counter_launch: cycles of the configurations of
--   jacobi/reduction, by 'tailwave counters' or Nsight Compute)
WITH counters AS (
  SELECT gpu_trial.device, gpu_trial.variant, waves, gpu_trial.occupancy, cycles
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold') AND n = 1048576
    AND block_size = 256 AND cycles IS NOT NULL)
SELECT device, (abs(max(atomic.cycles) / max(block.cycles) / 111.9 - 1) <= 0.2) AS holds,
  printf('%.0f cycles with atomics and %.0f with the block reduction.', max(atomic.cycles), max(block.cycles))
    AS evidence,
  printf('Both have %.2f waves at %.0f %% occupancy; what falls is the number of additions to one address, 256 times.',
    max(block.waves), 100 * max(block.occupancy)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM counters AS atomic JOIN counters AS block USING (device)
WHERE atomic.variant = 'atomic' AND block.variant = 'block_reduce'
GROUP BY device;
