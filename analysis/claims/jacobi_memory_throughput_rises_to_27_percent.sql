-- claim: Memory throughput improves markedly, from 1.06 % with atomics to 26.50 % with CUB's block reduction.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, profiler: Memory [%]
-- place: section 5.5, the sentence below the profile; GPU Speed Of Light of sections 5.2 and 5.5
-- derived: that Memory [%] is the higher of the shares of L2 and DRAM, as it is in both tables
-- holds if: at N = 1048576 the higher of the shares of L2 and DRAM is at most 1.27 % in atomic and 21.2 to 31.8 % in
--   cub_block_reduce (view counter_speed_of_light, of the configurations of jacobi/reduction, by 'tailwave counters' or
--   Nsight Compute)
WITH counters AS (
  SELECT gpu_trial.device, gpu_trial.variant, waves, n, cycles, method, max(share) AS memory,
    max(share) FILTER (WHERE unit = 'dram') AS dram
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
    JOIN counter_speed_of_light AS light ON light.counter_run_id = counter_launch.counter_run_id
      AND light.position = counter_launch.position AND light.doubt IS NULL
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold') AND n = 1048576
    AND block_size = 256 AND unit IN ('l2', 'dram')
  GROUP BY gpu_trial.trial_id HAVING count(DISTINCT unit) = 2)
SELECT device, max(atomic.memory) <= 1.2 * 0.0106 AND abs(max(cub.memory) / 0.265 - 1) <= 0.2 AS holds,
  printf('%.2f %% with atomics (DRAM %.2f %%) and %.2f %% with CUB (DRAM %.2f %%).', 100 * max(atomic.memory),
    100 * max(atomic.dram), 100 * max(cub.memory), 100 * max(cub.dram)) AS evidence,
  printf('With CUB the kernel is there for %d cycles and %.2f waves, %.1f bytes a cycle, with %s.',
    round(max(cub.cycles)), max(cub.waves), 8.0 * max(cub.n) / max(cub.cycles), CASE WHEN max(cub.method) = 'ncu'
      THEN 'caches emptied before' ELSE 'what writing the inputs left in L2' END) AS explanation,
  0.265 / 0.0106 > 1.2 AS holds_there,
  printf('%d times by its tables. 8 bytes a point in 25.15 us would be %d %% of 900 GB/s; its DRAM moved less, '
    || 'since a part of what is written stays in L2.', round(0.265 / 0.0106),
    round(800.0 * 1048576 / 25.15e3 / gpu_bandwidth('v100'))) AS there
FROM counters AS atomic JOIN counters AS cub USING (device)
WHERE atomic.variant = 'atomic' AND cub.variant = 'cub_block_reduce' AND cub.cycles > 0
GROUP BY device;
