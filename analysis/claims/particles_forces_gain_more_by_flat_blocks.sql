-- claim: Blocks of one dimension gain more in the kernel of the forces than in that of the move.
-- system: particles
-- source: Particle simulation, unnamed GPU, first edition, n = 1000: each kernel with blocks of one dimension, no
--   figures
-- place: first edition for the GPU: the last paragraph before its result
-- derived: the shape, 16 x 8, which is the edition's default
-- holds if: gpu1_force_1d is more than 2 % faster than gpu1_move_1d, both with 16 x 8 threads (experiment
--   particles/block_shape)
WITH steps AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'gpu1') AS both_us,
    max(median_us) FILTER (WHERE variant = 'gpu1_force_1d') AS force_us,
    max(median_us) FILTER (WHERE variant = 'gpu1_move_1d') AS move_us,
    max(grid) FILTER (WHERE variant = 'gpu1_force_1d') AS flat_blocks,
    max(grid) FILTER (WHERE variant = 'gpu1_move_1d') AS blocks,
    max(waves) FILTER (WHERE variant = 'gpu1_move_1d') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'block_shape' AND n = 1000
    AND parameters ->> 'BLOCK_X' = 16 AND parameters ->> 'BLOCK_Y' = 8
  GROUP BY device)
SELECT device, move_us > 1.02 * force_us AS holds,
  printf('%.2f ms with both kernels in blocks of 16 x 8, %.2f ms with the move in blocks of one dimension and %.2f '
    || 'ms with the forces in them.', both_us / 1e3, move_us / 1e3, force_us / 1e3) AS evidence,
  printf('The forces have %d blocks instead of %d (%.1f waves); those beyond the last particle only start and end.',
    flat_blocks, blocks, waves) AS explanation,
  1 AS holds_there,
  'It says so of what it ran, without figures; nothing that it prints is against it: a thread of the forces meets '
    || '1000 particles, one of the move only its own.' AS there
FROM steps WHERE both_us IS NOT NULL AND force_us IS NOT NULL AND move_us IS NOT NULL AND waves IS NOT NULL;
