-- claim: The SMs' throughput is 0.48 % with atomics and 31.95 % with CUB's block reduction.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, profiler: SM [%]
-- place: sections 5.2 and 5.5, SM [%] in the tables GPU Speed Of Light
-- holds if: at N = 1048576 it is at most 0.58 % of the peak in atomic and 25.6 to 38.3 % in cub_block_reduce (view
--   counter_speed_of_light: what an SM was driven hardest in, of issue, pipes and l1, or Nsight Compute's sm, of the
--   configurations of jacobi/reduction)
WITH counters AS (
  SELECT gpu_trial.device, gpu_trial.variant, waves, gpu_trial.occupancy,
    (SELECT max(share) FROM counter_speed_of_light AS light
     WHERE light.counter_run_id = counter_launch.counter_run_id AND light.position = counter_launch.position
       AND unit NOT IN ('l2', 'dram') AND light.doubt IS NULL) AS share
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold') AND n = 1048576
    AND block_size = 256)
SELECT device, max(atomic.share) <= 1.2 * 0.0048 AND abs(max(cub.share) / 0.3195 - 1) <= 0.2 AS holds,
  printf('%.2f %% with atomics and %.2f %% with CUB.', 100 * max(atomic.share), 100 * max(cub.share)) AS evidence,
  printf('Both have %.2f waves and %d %% occupancy: atomics stop the warps, not a lack of them. The study''s kernels '
    || 'also ask NVSHMEM where they are.', max(cub.waves), round(100 * max(cub.occupancy))) AS explanation,
  1 AS holds_there,
  printf('Its tables say so. Share times cycles is %d with atomics and %d with CUB: less to do, in far less time.',
    round(0.0048 * 3305314), round(0.3195 * 29534)) AS there
FROM counters AS atomic JOIN counters AS cub USING (device)
WHERE atomic.variant = 'atomic' AND cub.variant = 'cub_block_reduce' AND atomic.share IS NOT NULL
  AND cub.share IS NOT NULL
GROUP BY device;
