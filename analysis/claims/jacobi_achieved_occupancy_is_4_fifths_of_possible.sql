-- claim: Of a possible occupancy of 50 % the kernels achieve 39.56 % with atomics and 41.47 % with CUB, four fifths.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, profiler
-- place: sections 5.2 and 5.5, Theoretical and Achieved Occupancy in the tables Occupancy
-- derived: the four fifths, since kernels with fewer registers than the study's 62 can achieve more
-- holds if: achieved over possible is 0.791 in atomic and 0.829 in cub_block_reduce, within 20 % (view counter_launch:
--   occupancy of the configurations of jacobi/reduction, by 'tailwave counters' or Nsight Compute)
WITH counters AS (
  SELECT gpu_trial.device, gpu_trial.variant, gpu_trial.sms, gpu_trial.blocks_per_sm, gpu_trial.grid, waves, cycles,
    gpu_trial.occupancy AS possible, counter_launch.occupancy AS achieved
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold') AND n = 1048576
    AND block_size = 256 AND counter_launch.occupancy IS NOT NULL)
SELECT device, abs(max(atomic.achieved / atomic.possible) / (39.56 / 50) - 1) <= 0.2
    AND abs(max(cub.achieved / cub.possible) / (41.47 / 50) - 1) <= 0.2 AS holds,
  printf('%.1f %% of %d %% with atomics and %.1f %% of %d %% with CUB: %.2f and %.2f.', 100 * max(atomic.achieved),
    round(100 * max(atomic.possible)), 100 * max(cub.achieved), round(100 * max(cub.possible)),
    max(atomic.achieved / atomic.possible), max(cub.achieved / cub.possible)) AS evidence,
  printf('Warps that wait for an atomic are resident all the same. In %.2f waves a block has its place for at most '
    || '%d cycles with atomics and %d with CUB; the shorter that is, the more it matters how long the next takes '
    || 'to start.', max(cub.waves), round(max(atomic.cycles * atomic.sms * atomic.blocks_per_sm / atomic.grid)),
    round(max(cub.cycles * cub.sms * cub.blocks_per_sm / cub.grid))) AS explanation,
  gpu_blocks_per_sm('v100', 256, 62, 44) * 8 = 32 AND 41.47 / 50 BETWEEN 0.8 * 0.8 AND 1.2 * 0.8 AS holds_there,
  printf('%.2f and %.2f of the 32 warps that 62 registers allow an SM; its blocks have their places for %d and %d '
    || 'cycles.', 39.56 / 50, 41.47 / 50, round(3305314 / 12.8), round(29534 / 12.8)) AS there
FROM counters AS atomic JOIN counters AS cub USING (device)
WHERE atomic.variant = 'atomic' AND cub.variant = 'cub_block_reduce'
GROUP BY device;
