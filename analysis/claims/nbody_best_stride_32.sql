-- claim: The best stride is 32.
-- system: nbody
-- source: N-body on A100, N = 4096, block size 128: 256.5e9 interactions/s, 246.7e9 with stride 16
-- place: observation 2 on nbody_shared.cu, and its table of strides
-- holds if: BLOCK_STRIDE 32 is at most 2 % slower than the best (nbody_shared, experiment nbody/shared_block_stride)
WITH
  strides AS (
    SELECT *, parameters ->> 'BLOCK_STRIDE' AS stride, min(median_us) OVER (PARTITION BY device) AS best_us,
      count(median_us) OVER (PARTITION BY device) AS timed
    FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'shared_block_stride' AND variant = 'nbody_shared' AND n = 4096
      AND block_size = 128),
  best AS (SELECT device, stride, waves FROM strides WHERE median_us = best_us GROUP BY device)
SELECT strides.device, (median_us <= 1.02 * best_us) AS holds,
  printf('Stride 32 takes %.2f us, the best, %d, %.2f us: %.3f times.', median_us, best.stride, best_us,
    median_us / best_us) AS evidence,
  printf('32 is N / BLOCK_SIZE, one tile a block: %d blocks of %d warps are %.2f waves on %d SMs%s.', grid,
    warps_per_block, strides.waves, sms,
    CASE WHEN best.stride = 32 THEN '' ELSE printf('; stride %d fills %.2f waves with %d tiles a block', best.stride,
      best.waves, n / block_size / best.stride) END) AS explanation,
  1.02 * 256.532 >= max(197.147, 227.026, 246.724, 184.163, 126.716) AS holds_there,
  printf('256.5e9 interactions/s are the most of six strides, %.2f times those of 16 and %.2f times those of 64.',
    256.532 / 246.724, 256.532 / 184.163) AS there
FROM strides JOIN best USING (device) WHERE strides.stride = 32 AND median_us IS NOT NULL AND timed >= 6
  AND strides.waves IS NOT NULL;
