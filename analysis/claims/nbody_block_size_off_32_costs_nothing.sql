-- claim: Block sizes that are no multiple of 32 cost nothing.
-- system: nbody
-- source: N-body on A100, N = 4096: block sizes 30 and 31 against 32, 1023 against 1024
-- place: TODO
-- holds if: 30 and 31 are at most 2 % slower than 32, and 1023 than 1024 (experiment nbody/basic_block_size)
WITH sizes AS (
  SELECT device, max(median_us) FILTER (WHERE block_size IN (30, 31)) AS odd_us,
    max(median_us) FILTER (WHERE block_size = 32) AS warp_us,
    max(median_us) FILTER (WHERE block_size = 1023) AS large_odd_us,
    max(median_us) FILTER (WHERE block_size = 1024) AS large_us, max(grid) FILTER (WHERE block_size = 30) AS odd_blocks,
    max(grid) FILTER (WHERE block_size = 32) AS blocks, max(waves) FILTER (WHERE block_size = 30) AS waves
  FROM gpu_trial WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'basic' AND n = 4096
  GROUP BY device)
SELECT device,
  (odd_us <= 1.02 * warp_us AND large_odd_us <= 1.02 * large_us) AS holds,
  printf('The slower of 30 and 31 takes %.1f us, 32 takes %.1f; 1023 takes %.1f, 1024 takes %.1f.', odd_us, warp_us,
    large_odd_us, large_us) AS evidence,
  printf('A block of 30 is one warp like a block of 32, so there are %d warps instead of %d: at %.2f waves the SMs '
    || 'have room for many more.', odd_blocks, blocks, waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM sizes WHERE odd_us IS NOT NULL AND warp_us IS NOT NULL AND large_odd_us IS NOT NULL AND large_us IS NOT NULL;
