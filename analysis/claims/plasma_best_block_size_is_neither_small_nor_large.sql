-- claim: The block should be neither small nor large: about as many threads as the GPU has cores.
-- system: plasma
-- source: Plasma simulation, of GPUs of up to 500 cores; a GT 630 of the Kepler generation has 192 or 384
-- place: section 1.3
-- holds if: the best of BLOCK_SIZE 192, 256 and 384 is at most 2 % slower than the best of all, and 32 and 1024 are each
--   more than 2 % slower than it, with TRIG double_sin_cos (experiment plasma/block_size, modes_and_ions)
WITH
  sizes AS (
    SELECT *, min(median_us) OVER (PARTITION BY device) AS best_us, count(median_us) OVER (PARTITION BY device) AS timed
    FROM gpu_trial
    WHERE system = 'plasma' AND experiment = 'block_size' AND variant = 'modes_and_ions'
      AND parameters ->> 'TRIG' = 'double_sin_cos' AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400),
  ways AS (
    SELECT device, sms, best_us, min(median_us) FILTER (WHERE block_size IN (192, 256, 384)) AS middle_us,
      max(median_us) FILTER (WHERE block_size = 384) AS us_384,
      max(median_us) FILTER (WHERE block_size = 32) AS small_us, max(median_us) FILTER (WHERE block_size = 1024) AS large_us,
      max(block_size) FILTER (WHERE median_us = best_us) AS best, max(waves) FILTER (WHERE median_us = best_us) AS best_waves,
      max(waves) FILTER (WHERE block_size = 1024) AS large_waves,
      max(occupancy) FILTER (WHERE median_us = best_us) AS best_occupancy,
      max(occupancy) FILTER (WHERE block_size = 1024) AS large_occupancy
    FROM sizes WHERE timed >= 10 GROUP BY device)
SELECT device,
  (middle_us <= 1.02 * best_us AND small_us > 1.02 * best_us AND large_us > 1.02 * best_us) AS holds,
  printf('%d is best with %.1f us; the best of 192, 256 and 384 takes %.1f us, 384 %.1f, 32 %.1f and 1024 %.1f.', best,
    best_us, middle_us, us_384, small_us, large_us) AS evidence,
  printf('The density kernel has %.2f waves at %d %% occupancy with %d and %.2f at %d %% with 1024. With one thread '
    || 'an ion a block of 1024 gives work to 20 of %d SMs. Cores of this GPU are many more than a block can have '
    || 'threads.', best_waves, round(100 * best_occupancy), best, large_waves, round(100 * large_occupancy),
    sms) AS explanation,
  1 AS holds_there,
  'The study says so from experience and prints no figures; a GT 630 (Kepler) has 192 or 384 cores.' AS there
FROM ways
WHERE middle_us IS NOT NULL AND us_384 IS NOT NULL AND small_us IS NOT NULL AND large_us IS NOT NULL
  AND best_waves IS NOT NULL AND large_waves IS NOT NULL;
