-- claim: Block sizes from 8 to 256 make no clear difference, since 4096 bodies fit one wave with all of them.
-- system: nbody
-- source: N-body on A100, N = 4096: 31.4e9 to 33.9e9 interactions/s
-- place: observation 3 on the block size of nbody_parallel.cu
-- derived: the limit of 8 %, the spread that the study's table has
-- holds if: all block sizes from 8 to 256 fit one wave and the slowest takes at most 1.08 times as long as the fastest
--   (nbody_parallel, experiment nbody/basic_block_size)
WITH
  sizes AS (
    SELECT device, count(*) AS sizes, min(median_us) AS fast_us, max(median_us) AS slow_us, max(waves) AS waves,
      max(active_sms) AS most_sms, min(active_sms) AS fewest_sms
    FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
      AND block_size BETWEEN 8 AND 256 AND median_us IS NOT NULL
    GROUP BY device),
  largest AS (
    SELECT device, median_us, waves FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
      AND block_size = 1024)
SELECT sizes.device, (slow_us <= 1.08 * fast_us AND sizes.waves <= 1) AS holds,
  printf('%d block sizes take %.1f to %.1f us (%.2f times) and at most %.2f waves.', sizes, fast_us, slow_us,
    slow_us / fast_us, sizes.waves) AS evidence,
  printf('Every thread does 4096 pulls in a row, whether %d SMs have a block or %d%s.', most_sms, fewest_sms,
    CASE WHEN median_us IS NULL OR largest.waves > 1 THEN ''
         ELSE printf('; to fit one wave is not enough, for 1024 does too and takes %.2f times as long as the slowest '
           || 'of them', median_us / slow_us) END) AS explanation,
  33.852 <= 1.08 * 31.359 AND gpu_waves('a100', 512, 8, 32, 0) <= 1 AS holds_there,
  printf('Its table has 31.4e9 to 33.9e9 interactions/s, %.2f times, and blocks of 8, the most, are %.2f waves of an '
    || 'A100.', 33.852 / 31.359, gpu_waves('a100', 512, 8, 32, 0)) AS there
FROM sizes LEFT JOIN largest USING (device) WHERE sizes >= 8 AND sizes.waves IS NOT NULL;
