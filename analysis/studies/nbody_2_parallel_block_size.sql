-- table: Block sizes of nbody_parallel.cu
-- system: nbody
-- place: "Changing the BLOCK SIZE of nbody_parallel.cu", 4096 bodies
-- note: The last one is a launch that fails, there and here.
WITH
  printed (block_size, published) AS (
    VALUES (1, 14.749), (2, 27.311), (3, 29.439), (4, 32.508), (8, 33.737), (16, 31.649), (30, 33.268), (31, 33.852),
      (32, 32.320), (64, 32.704), (128, 32.981), (256, 31.359), (512, 28.857), (1023, 20.423), (1024, 20.092),
      (1025, 783.982)),
  ours AS (
    SELECT block_size, value / 1e9 AS rate, outcome, waves FROM gpu_trial
    WHERE device = :device AND system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel'
      AND n = 4096)
SELECT block_size AS "block size", published AS "published, 1e9 interactions/s", round(rate, 3) AS "here, 1e9 interactions/s",
  round(rate / published, 2) AS ratio, nullif(outcome, 'correct') AS "ends as", round(waves, 3) AS "waves here",
  CASE WHEN block_size <= 1024 THEN round(gpu_waves('a100', (4096 + block_size - 1) / block_size, block_size, 32, 0), 3) END
    AS "waves on an A100"
FROM printed LEFT JOIN ours USING (block_size) ORDER BY block_size;
