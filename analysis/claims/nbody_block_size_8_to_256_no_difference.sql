-- claim: Block sizes from 8 to 256 make no difference, since all of them fit one wave.
-- system: nbody
-- source: N-body on A100, N = 4096: 31.4e9 to 33.9e9 interactions/s
-- confirmed if: all block sizes from 8 to 256 fit one wave and the slowest takes at most 1.08 times as long as the fastest,
--   as published (experiment nbody/basic_block_size)
WITH sizes AS (
  SELECT device, sms, count(*) AS sizes, min(median_us) AS fast_us, max(median_us) AS slow_us, max(waves) AS waves,
    max(active_sms) AS most_sms, min(active_sms) AS fewest_sms,
    median(median_us) * clock_mhz / n AS cycles
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'basic' AND n = 4096
    AND block_size BETWEEN 8 AND 256 AND median_us IS NOT NULL
  GROUP BY device)
SELECT device, CASE WHEN slow_us <= 1.08 * fast_us AND waves <= 1 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%d block sizes take %.1f to %.1f us (%.2f times) and at most %.2f waves.', sizes, fast_us, slow_us,
    slow_us / fast_us, waves) AS evidence,
  printf('Every thread does 4096 pulls in a row, about %.0f cycles each, whether %d SMs have a block or %d.', cycles,
    most_sms, fewest_sms) AS explanation
FROM sizes WHERE sizes >= 2 AND waves IS NOT NULL;
