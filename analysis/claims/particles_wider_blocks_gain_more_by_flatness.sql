-- claim: The wider a block is, the more it gains by fewer rows.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: from 8 rows to 1, 29 to 7 s at width 16, 39 to 4 s at 32, 77 to 2
--   s at 64
-- place: first edition for the GPU: the text below the table of shapes
-- derived: the factors, 4.1, 9.8 and 38.5
-- holds if: the time of gpu1 with 8 rows over that with 1 is more than 2 % greater at BLOCK_X 32 than at 16, and at 64
--   than at 32 (experiment particles/block_shape)
WITH
  widths AS (
    SELECT device, x, max(median_us) FILTER (WHERE y = 8) / max(median_us) FILTER (WHERE y = 1) AS gain,
      max(waves) FILTER (WHERE y = 8) AS waves, max(waves) FILTER (WHERE y = 1) AS flat_waves
    FROM (SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM gpu_trial
          WHERE system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND n = 1000)
    GROUP BY device, x),
  gains AS (
    SELECT device, max(gain) FILTER (WHERE x = 16) AS gain_16, max(gain) FILTER (WHERE x = 32) AS gain_32,
      max(gain) FILTER (WHERE x = 64) AS gain_64, max(waves) FILTER (WHERE x = 64) AS waves,
      max(flat_waves) FILTER (WHERE x = 64) AS flat_waves
    FROM widths GROUP BY device)
SELECT device, gain_32 > 1.02 * gain_16 AND gain_64 > 1.02 * gain_32 AS holds,
  printf('8 rows take %.2f times as long as 1 at width 16, %.2f times at 32 and %.2f times at 64.', gain_16, gain_32,
    gain_64) AS evidence,
  printf('The grid of n x n threads has fewer blocks the more rows these have: %.1f waves of 64 x 8, %.1f of 64 x 1, '
    || 'nearly all without particles.', waves, flat_waves) AS explanation,
  39 / 4.0 > 1.02 * 29 / 7 AND 77 / 2.0 > 1.02 * 39 / 4 AS holds_there,
  printf('By its table: %.1f, %.1f and %.1f times.', 29 / 7.0, 39 / 4.0, 77 / 2.0) AS there
FROM gains WHERE gain_16 IS NOT NULL AND gain_32 IS NOT NULL AND gain_64 IS NOT NULL AND waves IS NOT NULL;
