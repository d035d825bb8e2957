-- claim: Blocks of other shapes are slow because neighbouring threads reach memory that is not adjacent.
-- system: particles
-- source: Particle simulation, unnamed GPU, first edition, n = 1000: 8 x 8 takes 45.8 s and 64 x 1 2 s
-- place: first edition for the GPU: the reason below the first chart
-- derived: 8 x 8 and 64 x 1, which have as many threads
-- holds if: gpu1 takes more than 1.02 times as long with 8 x 8 threads as with 64 x 1, and a load of its forces touches
--   more than 1.02 times as many sectors (experiment particles/block_shape, and its counters)
WITH
  shapes AS (
    SELECT device, max(median_us) FILTER (WHERE x = 64) AS flat_us, max(median_us) FILTER (WHERE x = 8) AS square_us,
      max(grid) FILTER (WHERE x = 8) AS blocks, max(waves) FILTER (WHERE x = 8) AS waves, max(n) AS n
    FROM (SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM gpu_trial
          WHERE system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND n = 1000)
    WHERE (x, y) IN (VALUES (64, 1), (8, 8)) GROUP BY device),
  loads AS (
    SELECT device, max(sectors_per_load) FILTER (WHERE x = 64) AS flat_sectors,
      max(sectors_per_load) FILTER (WHERE x = 8) AS square_sectors
    FROM (SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM counter_launch
          WHERE system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND age = 1
            AND kernel = 'compute_forces_2d' AND problem ->> 'N' = 1000)
    WHERE (x, y) IN (VALUES (64, 1), (8, 8)) GROUP BY device)
SELECT device,
  CASE WHEN square_us <= 1.02 * flat_us THEN 0 ELSE square_sectors > 1.02 * flat_sectors END AS holds,
  printf('8 x 8 takes %.2f ms and 64 x 1 %.2f ms: %.2f times. %s', square_us / 1e3, flat_us / 1e3, square_us / flat_us,
    CASE WHEN square_sectors IS NULL OR flat_sectors IS NULL
      THEN 'Counters of these two, which say how many sectors a load touches, are missing.'
      ELSE printf('A load touches %.2f and %.2f sectors of 32 bytes.', square_sectors, flat_sectors) END) AS evidence,
  printf('The printed numbering gives the threads of a block neighbours in memory whatever its shape, so nothing is '
    || 'scattered: %d of %d blocks (%.1f waves) have all %d particles.',
    (n + 63) / 64, blocks, waves, n) AS explanation,
  0 AS holds_there,
  'By the printed formula for a thread''s number the threads of a block are consecutive in any shape, so a warp has '
    || 'the same 32 particles in 8 x 8 as in 64 x 1.' AS there
FROM shapes LEFT JOIN loads USING (device)
WHERE flat_us IS NOT NULL AND square_us IS NOT NULL AND waves IS NOT NULL;
