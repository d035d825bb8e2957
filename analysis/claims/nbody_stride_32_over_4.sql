-- claim: Stride 32 is 1.30 times as fast as stride 4.
-- system: nbody
-- source: N-body on A100, N = 4096, block size 128: 256.5e9 against 197.1e9 interactions/s
-- place: the table of strides of nbody_shared.cu
-- derived: the ratio
-- holds if: BLOCK_STRIDE 32 over 4 is 1.30 within 20 % (nbody_shared, experiment nbody/shared_block_stride)
WITH strides AS (
  SELECT device, sms, max(median_us) FILTER (WHERE stride = 4) AS few_us,
    max(median_us) FILTER (WHERE stride = 32) AS many_us,
    max(grid * warps_per_block) FILTER (WHERE stride = 4) AS few_warps,
    max(grid * warps_per_block) FILTER (WHERE stride = 32) AS many_warps,
    max(waves) FILTER (WHERE stride = 4) AS few_waves,
    max(waves) FILTER (WHERE stride = 32) AS many_waves
  FROM (SELECT *, parameters ->> 'BLOCK_STRIDE' AS stride FROM gpu_trial
        WHERE system = 'nbody' AND experiment = 'shared_block_stride' AND variant = 'nbody_shared' AND n = 4096
          AND block_size = 128)
  GROUP BY device)
SELECT device, (abs(few_us / many_us / 1.30 - 1) <= 0.2) AS holds,
  printf('Stride 4 takes %.1f us, stride 32 %.1f us: %.2f times.', few_us, many_us, few_us / many_us) AS evidence,
  printf('The waves rise from %.2f to %.2f and the warps of an SM from %.1f to %.1f, so that latency is hidden.',
    few_waves, many_waves, 1.0 * few_warps / sms, 1.0 * many_warps / sms) AS explanation,
  abs(256.532 / 197.147 / 1.30 - 1) <= 0.2 AS holds_there,
  printf('256.5e9 over 197.1e9 are %.2f times; the table of block sizes has 218.5e9 for stride 4, %.2f times.',
    256.532 / 197.147, 256.532 / 218.453) AS there
FROM strides WHERE few_us IS NOT NULL AND many_us IS NOT NULL AND many_waves IS NOT NULL;
