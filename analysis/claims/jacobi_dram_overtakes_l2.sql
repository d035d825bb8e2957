-- claim: With atomics L2 is used more than DRAM, 1.06 and 0.24 %; with CUB's block reduction DRAM is used more, 26.50
--   and 15.39 %.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, profiler
-- place: sections 5.2 and 5.5, SOL DRAM and SOL L2 Cache in the tables GPU Speed Of Light
-- derived: that their order changes
-- holds if: the share of L2 is higher than that of DRAM in atomic and lower in cub_block_reduce, by more than 2 % of
--   it, at N = 1048576 (view counter_speed_of_light, of the configurations of jacobi/reduction, by Nsight Compute,
--   which empties the caches before, as in the study)
WITH
  counted AS (
    SELECT gpu_trial.device, gpu_trial.variant, n, counter_run_id, position, method,
      row_number() OVER (PARTITION BY gpu_trial.device, gpu_trial.variant
        ORDER BY method = 'ncu' DESC, counted_at DESC, counter_run_id DESC) AS latest
    FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
      JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
        AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel
    WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold')
      AND gpu_trial.variant IN ('atomic', 'cub_block_reduce') AND n = 1048576 AND block_size = 256),
  shares AS (
    SELECT device, variant, n, method, max(share) FILTER (WHERE unit = 'l2') AS l2,
      max(share) FILTER (WHERE unit = 'dram') AS dram
    FROM counted JOIN counter_speed_of_light AS light USING (counter_run_id, position)
    WHERE latest = 1 AND light.doubt IS NULL GROUP BY device, variant)
SELECT device,
  CASE WHEN atomic.method = 'ncu' AND cub.method = 'ncu'
    THEN atomic.l2 > 1.02 * atomic.dram AND cub.dram > 1.02 * cub.l2 END AS holds,
  printf('L2 %.2f %% and DRAM %.2f %% with atomics, %.2f and %.2f %% with CUB%s.', 100 * atomic.l2, 100 * atomic.dram,
    100 * cub.l2, 100 * cub.dram, CASE WHEN atomic.method = 'ncu' AND cub.method = 'ncu' THEN ''
      ELSE ', with what was in L2 before; what is missing is Nsight Compute''s with empty caches' END) AS evidence,
  printf('The two arrays are %.1f MB. What an L2 can hold of what is written need not go to DRAM while the kernel is '
    || 'there.', 8e-6 * cub.n) AS explanation,
  1.06 > 1.02 * 0.24 AND 26.50 > 1.02 * 15.39 AS holds_there,
  'By its tables L2 has 4.4 times the share of DRAM with atomics, and DRAM 1.7 times that of L2 with CUB. The L2 of a '
    || 'V100 has 6 MB, less than the two arrays.' AS there
FROM shares AS atomic JOIN shares AS cub USING (device)
WHERE atomic.variant = 'atomic' AND cub.variant = 'cub_block_reduce' AND atomic.l2 IS NOT NULL
  AND atomic.dram IS NOT NULL AND cub.l2 IS NOT NULL AND cub.dram IS NOT NULL;
