-- claim: Of all shapes of blocks 64 x 1 is the best.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 2 s, the others 4 to 100 s
-- place: comparison of all editions: the row of the blocks' shape, which has the best time of each
-- holds if: gpu1 with 64 x 1 threads is at most 2 % slower than the best of its 15 shapes, all measured (experiment
--   particles/block_shape)
WITH
  shapes AS (
    SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM gpu_trial
    WHERE system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND n = 1000
      AND median_us IS NOT NULL),
  -- min() picks the row that the other columns are of
  best AS (
    SELECT device, x, y, min(median_us) AS best_us, waves AS best_waves FROM shapes GROUP BY device
    HAVING count(DISTINCT x || ' ' || y) >= 15)
SELECT device, median_us <= 1.02 * best_us AS holds,
  printf('64 x 1 takes %.1f ms; the best is %d x %d with %.1f ms: %.2f times.', median_us / 1e3, best.x, best.y,
    best_us / 1e3, median_us / best_us) AS evidence,
  printf('%d blocks of 64 x 1 are %.1f waves, those of the best %.1f: all but %d have no '
    || 'particle, and only start and end.', grid, waves, best_waves, (n + 63) / 64) AS explanation,
  2 <= 1.02 * min(2, 4, 5, 7, 9, 12, 13, 14, 26.4257, 39, 45.8355, 72.7987, 77, 100.089) AS holds_there,
  'By its figures: 2 s, and 4 s for the next, 32 x 1 and 64 x 2.' AS there
FROM shapes JOIN best USING (device) WHERE shapes.x = 64 AND shapes.y = 1 AND waves IS NOT NULL GROUP BY device;
