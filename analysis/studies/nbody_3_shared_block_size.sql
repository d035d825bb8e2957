-- table: Block sizes of nbody_shared.cu
-- system: nbody
-- place: "Changing the BLOCK SIZE and BLOCK STRIDE of nbody_shared.cu", first table, 4096 bodies, stride 4
WITH
  printed (block_size, published) AS (
    VALUES (8, 112.448), (16, 168.277), (32, 202.379), (64, 201.166), (128, 218.453), (256, 178.102), (512, 113.207)),
  ours AS (
    SELECT block_size, value / 1e9 AS rate, waves FROM gpu_trial
    WHERE device = :device AND system = 'nbody' AND experiment = 'shared_block_size' AND variant = 'nbody_shared' AND n = 4096)
SELECT block_size AS "block size", 4 AS "block stride", published AS "published, 1e9 interactions/s",
  round(rate, 3) AS "here, 1e9 interactions/s", round(rate / published, 2) AS ratio, round(waves, 3) AS "waves here"
FROM printed LEFT JOIN ours USING (block_size) ORDER BY block_size;
