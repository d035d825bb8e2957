-- claim: Block sizes that are no multiple of 32 are not noticeably slower.
-- system: nbody
-- source: N-body on A100, N = 4096: 33.3e9 (30) and 33.9e9 (31) against 32.3e9 interactions/s (32), 1023 beside 1024
-- place: observation 6 on the block size of nbody_parallel.cu
-- holds if: 30 and 31 are at most 2 % slower than 32, and 1023 than 1024 (nbody_parallel, experiment
--   nbody/basic_block_size)
WITH sizes AS (
  SELECT device, max(median_us) FILTER (WHERE block_size IN (30, 31)) AS odd_us,
    max(median_us) FILTER (WHERE block_size = 32) AS warp_us,
    max(median_us) FILTER (WHERE block_size = 1023) AS large_odd_us,
    max(median_us) FILTER (WHERE block_size = 1024) AS large_us, max(grid) FILTER (WHERE block_size = 30) AS odd_blocks,
    max(grid) FILTER (WHERE block_size = 32) AS blocks, max(waves) FILTER (WHERE block_size = 30) AS waves
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  GROUP BY device)
SELECT device,
  (odd_us <= 1.02 * warp_us AND large_odd_us <= 1.02 * large_us) AS holds,
  printf('The slower of 30 and 31 takes %.1f us, 32 takes %.1f; 1023 takes %.1f, 1024 takes %.1f.', odd_us, warp_us,
    large_odd_us, large_us) AS evidence,
  printf('A block of 30 is one warp like a block of 32, so there are %d warps instead of %d: at %.2f waves the SMs '
    || 'have room for many more.', odd_blocks, blocks, waves) AS explanation,
  32.320 <= 1.02 * min(33.268, 33.852) AND 20.092 <= 1.02 * 20.423 AS holds_there,
  printf('By its table 30 is %.2f, 31 %.2f times as fast as 32, and 1023 %.2f times as fast as 1024.', 33.268 / 32.320,
    33.852 / 32.320, 20.423 / 20.092) AS there
FROM sizes WHERE odd_us IS NOT NULL AND warp_us IS NOT NULL AND large_odd_us IS NOT NULL AND large_us IS NOT NULL;
