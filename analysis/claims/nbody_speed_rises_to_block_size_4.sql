-- claim: The speed goes on rising from block size 2 to 4 and hardly changes beyond.
-- system: nbody
-- source: N-body on A100, N = 4096: 27.3e9 (2), 29.4e9 (3), 32.5e9 (4) and then 31.4e9 to 33.9e9 interactions/s
-- place: observation 2 on the block size of nbody_parallel.cu
-- derived: the limit of 8 % beyond 4, the spread that the study calls no difference from 8 to 256
-- holds if: 3 is more than 2 % faster than 2, 4 than 3, and 8 to 256 differ by at most 8 % from 4 (nbody_parallel,
--   experiment nbody/basic_block_size)
WITH sizes AS (
  SELECT device, max(median_us) FILTER (WHERE block_size = 2) AS two_us,
    max(median_us) FILTER (WHERE block_size = 3) AS three_us,
    max(median_us) FILTER (WHERE block_size = 4) AS four_us,
    min(median_us) FILTER (WHERE block_size BETWEEN 8 AND 256) AS fast_us,
    max(median_us) FILTER (WHERE block_size BETWEEN 8 AND 256) AS slow_us,
    max(grid) FILTER (WHERE block_size = 2) AS two_blocks, max(grid) FILTER (WHERE block_size = 4) AS four_blocks, sms
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  GROUP BY device)
SELECT device,
  (two_us > 1.02 * three_us AND three_us > 1.02 * four_us AND fast_us >= four_us / 1.08 AND slow_us <= 1.08 * four_us)
    AS holds,
  printf('2, 3 and 4 take %.1f, %.1f and %.1f us; 8 to 256 take %.1f to %.1f us.', two_us, three_us, four_us, fast_us,
    slow_us) AS evidence,
  printf('A block of 2, 3 or 4 is one warp with as many threads: %d warps become %d, %.1f and %.1f for each SM, and '
    || 'all take the same number of pulls.', two_blocks, four_blocks, 1.0 * two_blocks / sms, 1.0 * four_blocks / sms)
    AS explanation,
  29.439 > 1.02 * 27.311 AND 32.508 > 1.02 * 29.439 AND 33.852 <= 1.08 * 32.508 AND 31.359 >= 32.508 / 1.08
    AS holds_there,
  printf('By its table 3 is %.2f times as fast as 2, 4 %.2f times as 3, and 8 to 256 are %.2f to %.2f times as fast '
    || 'as 4.', 29.439 / 27.311, 32.508 / 29.439, 31.359 / 32.508, 33.852 / 32.508) AS there
FROM sizes WHERE two_us IS NOT NULL AND three_us IS NOT NULL AND four_us IS NOT NULL AND slow_us IS NOT NULL
  AND four_blocks IS NOT NULL;
