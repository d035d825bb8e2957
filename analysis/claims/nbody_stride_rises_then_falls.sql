-- claim: At a fixed block size a larger stride is first faster and then slower.
-- system: nbody
-- source: N-body on A100, N = 4096, block size 128: 197.1e9 (4), 256.5e9 (32) and 126.7e9 interactions/s (128)
-- place: observation 2 on nbody_shared.cu
-- holds if: both BLOCK_STRIDE 4 and 128 take more than 1.02 times as long as the best (nbody_shared, experiment
--   nbody/shared_block_stride)
WITH strides AS (
  SELECT device, max(median_us) FILTER (WHERE stride = 4) AS few_us,
    max(median_us) FILTER (WHERE stride = 128) AS many_us, min(median_us) AS best_us,
    max(waves) FILTER (WHERE stride = 4) AS few_waves, max(waves) FILTER (WHERE stride = 128) AS many_waves,
    count(median_us) AS timed
  FROM (SELECT *, parameters ->> 'BLOCK_STRIDE' AS stride FROM gpu_trial
        WHERE system = 'nbody' AND experiment = 'shared_block_stride' AND variant = 'nbody_shared' AND n = 4096
          AND block_size = 128)
  GROUP BY device)
SELECT device, few_us > 1.02 * best_us AND many_us > 1.02 * best_us AS holds,
  printf('Stride 4 takes %.2f and stride 128 %.2f times as long as the best, %.1f us.', few_us / best_us,
    many_us / best_us, best_us) AS evidence,
  printf('The grids are %.2f to %.2f waves: until there is a block for each tile, more of them share the pulls of a '
    || 'body; then they only add to it.', few_waves, many_waves) AS explanation,
  256.532 > 1.02 * 197.147 AND 256.532 > 1.02 * 126.716 AS holds_there,
  printf('By its table stride 4 takes %.2f and stride 128 %.2f times as long as 32.', 256.532 / 197.147,
    256.532 / 126.716) AS there
FROM strides WHERE few_us IS NOT NULL AND many_us IS NOT NULL AND many_waves IS NOT NULL AND timed >= 6;
