-- claim: A block size has to be a multiple of 32 to be fast, since a warp has 32 threads.
-- system: nbody
-- source: N-body on A100, N = 4096: advice, beside 33.3e9 (30), 33.9e9 (31) and 32.3e9 interactions/s (32)
-- place: launch parameters of nbody_parallel.cu, and the third rule of the summary on how to choose BLOCK SIZE
-- derived: that the rule is one for speed; the text gives it without saying what breaking it costs
-- holds if: 30 and 31 each take more than 1.02 times as long as 32, and 1023 as 1024 (nbody_parallel, experiment
--   nbody/basic_block_size)
WITH sizes AS (
  SELECT device, min(median_us) FILTER (WHERE block_size IN (30, 31)) AS odd_us,
    max(median_us) FILTER (WHERE block_size = 32) AS warp_us,
    max(median_us) FILTER (WHERE block_size = 1023) AS large_odd_us,
    max(median_us) FILTER (WHERE block_size = 1024) AS large_us, max(grid) FILTER (WHERE block_size = 30) AS odd_blocks,
    max(grid) FILTER (WHERE block_size = 32) AS blocks, max(waves) FILTER (WHERE block_size = 30) AS waves
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  GROUP BY device)
SELECT device,
  (odd_us > 1.02 * warp_us AND large_odd_us > 1.02 * large_us) AS holds,
  printf('The faster of 30 and 31 takes %.2f times as long as 32, and 1023 %.2f times as long as 1024.',
    odd_us / warp_us, large_odd_us / large_us) AS evidence,
  printf('30 and 31 leave 2 and 1 of 32 threads of a warp unused, so that there are %d warps instead of %d; at %.2f '
    || 'waves the SMs have room for them.', odd_blocks, blocks, waves) AS explanation,
  32.320 > 1.02 * max(33.268, 33.852) AND 20.092 > 1.02 * 20.423 AS holds_there,
  printf('Its own table contradicts it: 30 is %.2f, 31 %.2f times as fast as 32, and 1023 %.2f times as fast as 1024.',
    33.268 / 32.320, 33.852 / 32.320, 20.423 / 20.092) AS there
FROM sizes WHERE odd_us IS NOT NULL AND warp_us IS NOT NULL AND large_odd_us IS NOT NULL AND large_us IS NOT NULL;
