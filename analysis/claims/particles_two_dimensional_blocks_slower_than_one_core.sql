-- claim: With blocks of two dimensions the GPU takes longer than one core does.
-- system: particles
-- source: Particle simulation, unnamed GPU against one core at 2.2 GHz, n = 1000: 26.4 to 100 s, and 21 s
-- place: first edition for the GPU: the program's output and the sentence below the first chart
-- holds if: each of gpu1 with 16 x 8, 8 x 8, 16 x 16 and 8 x 16 threads takes more than 1.02 times as long as serial
--   (experiments particles/block_shape and particles/editions)
WITH steps AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'serial') AS cpu_us,
    min(median_us) FILTER (WHERE variant = 'gpu1') AS least_us,
    max(median_us) FILTER (WHERE variant = 'gpu1') AS most_us,
    max(waves) FILTER (WHERE variant = 'gpu1') AS waves
  FROM gpu_trial WHERE system = 'particles' AND n = 1000 AND median_us IS NOT NULL
    AND (experiment = 'editions' AND variant = 'serial' OR experiment = 'block_shape' AND variant = 'gpu1'
      AND (parameters ->> 'BLOCK_X', parameters ->> 'BLOCK_Y') IN (VALUES (16, 8), (8, 8), (16, 16), (8, 16)))
  GROUP BY device
  HAVING count(DISTINCT iif(variant = 'gpu1', parameters ->> 'BLOCK_X' || ' ' || (parameters ->> 'BLOCK_Y'), NULL)) = 4)
SELECT device, least_us > 1.02 * cpu_us AS holds,
  printf('gpu1 takes %.1f to %.1f ms in these shapes, and serial %d ms: %.3f to %.3f times.', least_us / 1e3,
    most_us / 1e3, round(cpu_us / 1e3), least_us / cpu_us, most_us / cpu_us) AS evidence,
  printf('Up to %.1f waves of blocks, nearly all without particles, come with each of the launches; those with '
    || 'particles are as few as blocks in a row.', waves) AS explanation,
  min(26.4257, 45.8355, 72.7987, 100.089) > 1.02 * 21 AS holds_there,
  'By its figures: 26.4, 45.8, 72.8 and 100.1 s against 21 s.' AS there
FROM steps WHERE cpu_us IS NOT NULL AND waves IS NOT NULL;
