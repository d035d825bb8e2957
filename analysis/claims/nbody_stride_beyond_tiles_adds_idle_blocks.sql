-- claim: Beyond N / BLOCK_SIZE = 32 a larger stride only costs: its further threads have no pulls to add.
-- system: nbody
-- source: N-body on A100, N = 4096, block size 128: 256.5e9 (32), 184.2e9 (64) and 126.7e9 interactions/s (128)
-- place: observation 2 on nbody_shared.cu, second point
-- holds if: BLOCK_STRIDE 64 is slower than 32 and 128 than 64, each by more than 2 % (nbody_shared, experiment
--   nbody/shared_block_stride)
WITH strides AS (
  SELECT device, max(median_us) FILTER (WHERE stride = 32) AS base_us,
    max(median_us) FILTER (WHERE stride = 64) AS double_us,
    max(median_us) FILTER (WHERE stride = 128) AS fourfold_us, max(grid) FILTER (WHERE stride = 32) AS base_blocks,
    max(grid) FILTER (WHERE stride = 64) AS double_blocks, max(grid) FILTER (WHERE stride = 128) AS fourfold_blocks,
    max(waves) FILTER (WHERE stride = 64) AS double_waves, max(waves) FILTER (WHERE stride = 128) AS fourfold_waves
  FROM (SELECT *, parameters ->> 'BLOCK_STRIDE' AS stride FROM gpu_trial
        WHERE system = 'nbody' AND experiment = 'shared_block_stride' AND variant = 'nbody_shared' AND n = 4096
          AND block_size = 128)
  GROUP BY device)
SELECT device,
  (double_us > 1.02 * base_us AND fourfold_us > 1.02 * double_us) AS holds,
  printf('Stride 32 takes %.1f us, 64 %.1f us and 128 %.1f us; %d of %d and %d of %d blocks have no tile.', base_us,
    double_us, fourfold_us, double_blocks - base_blocks, double_blocks, fourfold_blocks - base_blocks, fourfold_blocks)
    AS evidence,
  printf('A block without a tile still starts, loads its bodies and adds zeros by three atomics a thread; such blocks '
    || 'make it %.2f and %.2f waves.', double_waves, fourfold_waves) AS explanation,
  256.532 > 1.02 * 184.163 AND 184.163 > 1.02 * 126.716 AS holds_there,
  printf('By its table 64 takes %.2f times as long as 32, and 128 %.2f times as long as 64.', 256.532 / 184.163,
    184.163 / 126.716) AS there
FROM strides WHERE base_us IS NOT NULL AND double_us IS NOT NULL AND fourfold_us IS NOT NULL
  AND fourfold_waves IS NOT NULL;
