-- claim: The SMs' throughput rises from 0.48 % with atomics to 31.95 % with the block reduction.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, blocks of 256, profiler: SM 0.48 % and 31.95 %
-- place: TODO
-- holds if: it is at most 1 % of the peak in atomic and 26 to 38 % in block_reduce (view counter_speed_of_light:
--   what an SM was driven hardest in, of issue, pipes and l1, or Nsight Compute's sm, of the configurations of
--   jacobi/reduction)
WITH counters AS (
  SELECT gpu_trial.device, gpu_trial.variant, waves, gpu_trial.occupancy,
    (SELECT max(share) FROM counter_speed_of_light AS light
     WHERE light.counter_run_id = counter_launch.counter_run_id AND light.position = counter_launch.position
       AND unit NOT IN ('l2', 'dram')) AS share
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold') AND n = 1048576
    AND block_size = 256)
SELECT device, (max(atomic.share) <= 0.01 AND max(block.share) BETWEEN 0.26 AND 0.38) AS holds,
  printf('%.2f %% with atomics and %.2f %% with the block reduction.', 100 * max(atomic.share), 100 * max(block.share))
    AS evidence,
  printf('Both have %.2f waves and %.0f %% occupancy: atomics stop the warps, not a lack of them.', max(block.waves),
    100 * max(block.occupancy)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM counters AS atomic JOIN counters AS block USING (device)
WHERE atomic.variant = 'atomic' AND block.variant = 'block_reduce' AND atomic.share IS NOT NULL
  AND block.share IS NOT NULL
GROUP BY device;
