-- claim: Beyond a stride of 32 the further threads do nothing because the test i < n keeps them out.
-- system: nbody
-- source: N-body on A100, N = 4096, block size 128: the reason given for 184.2e9 interactions/s with stride 64
-- place: observation 2 on nbody_shared.cu, second point, its reason
-- holds if: with BLOCK_STRIDE 64 or 128 some blocks have bodies from n on, by the printed
--   i = threadIdx.x + blockIdx.x / BLOCK_STRIDE * blockDim.x (nbody_shared, experiment nbody/shared_block_stride)
WITH strides AS (
  SELECT *, parameters ->> 'BLOCK_STRIDE' AS stride FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'shared_block_stride' AND variant = 'nbody_shared' AND n = 4096
    AND block_size = 128)
SELECT device, max((grid - 1) / stride * block_size + block_size > n) AS holds,
  group_concat(printf('Stride %d: the last of %d blocks has the bodies up to %d of %d.', stride, grid,
    (grid - 1) / stride * block_size + block_size, n), ' ') AS evidence,
  'All threads pass the test. What the further ones lack are tiles: their loop begins beyond the last one, and they '
    || 'add zeros by three atomics each.' AS explanation,
  (32 * 64 - 1) / 64 * 128 + 128 > 4096 AS holds_there,
  printf('By the code as printed the last of 32 * 64 blocks has the bodies up to %d of 4096, so no thread is kept out.',
    (32 * 64 - 1) / 64 * 128 + 128) AS there
FROM strides WHERE stride > 32 AND grid IS NOT NULL GROUP BY device;
