-- claim: The achieved occupancy hardly changes, from 39.56 to 41.47 %.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, blocks of 256, profiler: achieved occupancy, of 50 % possible
-- place: TODO
-- holds if: it is 0.79 and 0.83 of the possible one, within 20 % (view counter_launch: occupancy of the
--   configurations of jacobi/reduction, by 'tailwave counters' or Nsight Compute)
WITH counters AS (
  SELECT gpu_trial.device, gpu_trial.variant, waves, gpu_trial.occupancy AS possible,
    counter_launch.occupancy AS achieved
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold') AND n = 1048576
    AND block_size = 256 AND counter_launch.occupancy IS NOT NULL)
SELECT device, (abs(max(atomic.achieved / atomic.possible) / 0.79 - 1) <= 0.2
  AND abs(max(block.achieved / block.possible) / 0.83 - 1) <= 0.2) AS holds,
  printf('%.1f %% with atomics and %.1f %% with the block reduction.', 100 * max(atomic.achieved),
    100 * max(block.achieved)) AS evidence,
  printf('Warps that wait for an atomic are resident all the same; both have %.2f waves of %.0f %% occupancy.',
    max(block.waves), 100 * max(block.possible)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM counters AS atomic JOIN counters AS block USING (device)
WHERE atomic.variant = 'atomic' AND block.variant = 'block_reduce'
GROUP BY device;
