-- claim: The elapsed cycles fall greatly with CUB's block reduction, from 3305314 to 29534.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, profiler
-- place: section 5.5, the sentence below the profile; Elapsed Cycles of sections 5.2 and 5.5
-- derived: that this is 112 times
-- holds if: atomic over cub_block_reduce is 111.9 within 20 % at N = 1048576 (view counter_launch: cycles of the
--   configurations of jacobi/reduction, by 'tailwave counters' or Nsight Compute)
WITH counters AS (
  SELECT gpu_trial.device, gpu_trial.variant, waves, gpu_trial.occupancy, gpu_trial.grid, n, cycles
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold') AND n = 1048576
    AND block_size = 256 AND cycles > 0)
SELECT device, abs(max(atomic.cycles) / max(cub.cycles) / (3305314 / 29534.0) - 1) <= 0.2 AS holds,
  printf('%d cycles with atomics and %d with CUB: %g times.', round(max(atomic.cycles)), round(max(cub.cycles)),
    round(max(atomic.cycles) / max(cub.cycles), iif(max(atomic.cycles) < 10 * max(cub.cycles), 1, 0))) AS evidence,
  printf('Both have %.2f waves at %d %% occupancy. Additions to one address fall 256 times and take %.2f cycles each '
    || 'with atomics, so that those of CUB''s blocks are %d %% of its cycles.', max(cub.waves),
    round(100 * max(cub.occupancy)), max(atomic.cycles / atomic.n),
    round(100 * max(atomic.cycles / atomic.n) * (max(cub.n) / 256) / max(cub.cycles))) AS explanation,
  3305314 / 29534.0 > 1.2 AS holds_there,
  printf('%.1f times by its tables. Its atomics take %.2f cycles each; with CUB they are %d %% of the cycles.',
    3305314 / 29534.0, 3305314.0 / 1048576, round(100 * 3305314.0 / 256 / 29534)) AS there
FROM counters AS atomic JOIN counters AS cub USING (device)
WHERE atomic.variant = 'atomic' AND cub.variant = 'cub_block_reduce'
GROUP BY device;
