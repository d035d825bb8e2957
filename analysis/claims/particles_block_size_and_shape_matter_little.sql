-- claim: Size and shape of the blocks hardly change the time.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 0.35 to 1.25 s by size, 2 to 100 s by shape
-- place: running on the GPU, the first paragraph
-- derived: the limit of 20 %
-- holds if: at N = 1000 the slowest of seven block sizes of gpu takes at most 1.2 times as long as the fastest, and so
--   does the slowest of 15 shapes of gpu1 (experiments particles/block_size and particles/block_shape)
WITH blocks AS (
  SELECT device, min(median_us) FILTER (WHERE variant = 'gpu') AS size_us,
    max(median_us) FILTER (WHERE variant = 'gpu') AS worst_size_us,
    min(median_us) FILTER (WHERE variant = 'gpu1') AS shape_us,
    max(median_us) FILTER (WHERE variant = 'gpu1') AS worst_shape_us,
    max(waves) FILTER (WHERE variant = 'gpu') AS size_waves, max(waves) FILTER (WHERE variant = 'gpu1') AS shape_waves,
    min(waves) FILTER (WHERE variant = 'gpu1') AS least_shape_waves
  FROM gpu_trial WHERE system = 'particles' AND n = 1000 AND median_us IS NOT NULL
    AND (experiment = 'block_size' AND variant = 'gpu' AND block_size IN (8, 16, 32, 64, 128, 256, 512)
      OR experiment = 'block_shape' AND variant = 'gpu1')
  GROUP BY device
  HAVING count(DISTINCT iif(variant = 'gpu', block_size, NULL)) = 7
    AND count(DISTINCT iif(variant = 'gpu1', parameters ->> 'BLOCK_X' || ' '
      || '' || (parameters ->> 'BLOCK_Y'), NULL)) >= 15)
SELECT device, worst_size_us <= 1.2 * size_us AND worst_shape_us <= 1.2 * shape_us AS holds,
  printf('Block sizes take %.1f to %.1f ms: %.2f times; shapes %.1f to %.1f ms: %.2f times.', size_us / 1e3,
    worst_size_us / 1e3, worst_size_us / size_us, shape_us / 1e3, worst_shape_us / 1e3, worst_shape_us / shape_us)
    AS evidence,
  printf('Blocks in a row are at most %.3f waves; those of two dimensions, most of them '
    || 'without particles, %.1f to %.1f.', size_waves, least_shape_waves, shape_waves) AS explanation,
  1.25 <= 1.2 * 0.35 AND 100.089 <= 1.2 * 2 AS holds_there,
  printf('Its own tables have %.1f times between block sizes and %d times between shapes.', 1.25 / 0.35,
    round(100.089 / 2)) AS there
FROM blocks WHERE size_waves IS NOT NULL AND shape_waves IS NOT NULL;
