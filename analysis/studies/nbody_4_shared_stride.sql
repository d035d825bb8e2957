-- table: Block strides of nbody_shared.cu
-- system: nbody
-- place: "Changing the BLOCK SIZE and BLOCK STRIDE of nbody_shared.cu", second table, 4096 bodies, blocks of 128
WITH
  printed (stride, published) AS (
    VALUES (4, 197.147), (8, 227.026), (16, 246.724), (32, 256.532), (64, 184.163), (128, 126.716)),
  ours AS (
    SELECT CAST(parameters ->> 'BLOCK_STRIDE' AS INTEGER) AS stride, value / 1e9 AS rate, waves FROM gpu_trial
    WHERE device = :device AND system = 'nbody' AND experiment = 'shared_block_stride' AND variant = 'nbody_shared' AND n = 4096)
SELECT 128 AS "block size", stride AS "block stride", published AS "published, 1e9 interactions/s",
  round(rate, 3) AS "here, 1e9 interactions/s", round(rate / published, 2) AS ratio, round(waves, 3) AS "waves here"
FROM printed LEFT JOIN ours USING (stride) ORDER BY stride;
