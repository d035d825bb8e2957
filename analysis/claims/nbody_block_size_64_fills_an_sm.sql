-- claim: Block size 64, the threads an SM holds over the blocks it holds, gives the most occupancy; below it is less.
-- system: nbody
-- source: N-body on A100: 2048 threads and 32 blocks an SM
-- place: first rule of the summary on how to choose BLOCK SIZE, and observation 3
-- holds if: no block size has more occupancy than 64, and 32 has less (nbody_parallel, experiment
--   nbody/basic_block_size)
WITH sizes AS (
  SELECT device, max(occupancy) FILTER (WHERE block_size = 64) AS at_64,
    max(occupancy) FILTER (WHERE block_size = 32) AS at_32, max(occupancy) AS most,
    max(blocks_per_sm) FILTER (WHERE block_size = 64) AS blocks, max(limiter) FILTER (WHERE block_size = 64) AS limiter,
    max(median_us) FILTER (WHERE block_size = 64) / max(median_us) FILTER (WHERE block_size = 32) AS longer
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  GROUP BY device)
SELECT device, at_64 >= most AND at_32 < at_64 AS holds,
  printf('%d %% occupancy at 64, %d %% at 32 and at most %d %%.', round(100 * at_64), round(100 * at_32),
    round(100 * most)) AS evidence,
  printf('An SM holds %d blocks of 64, limited by %s%s.', blocks, limiter,
    CASE WHEN longer IS NULL THEN '' ELSE printf('; what fits does not matter while the grid is smaller: 64 takes %.2f '
      || 'times as long as 32', longer) END) AS explanation,
  64 * gpu_blocks_per_sm('a100', 64, 32, 0) = 2048 AND 32 * gpu_blocks_per_sm('a100', 32, 32, 0) < 2048 AS holds_there,
  printf('Planned for an A100, with 32 registers a thread: %d of 2048 threads with blocks of 64, %d with blocks of 32.',
    64 * gpu_blocks_per_sm('a100', 64, 32, 0), 32 * gpu_blocks_per_sm('a100', 32, 32, 0)) AS there
FROM sizes WHERE at_64 IS NOT NULL AND at_32 IS NOT NULL;
