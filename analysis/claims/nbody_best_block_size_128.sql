-- claim: The best block size of the kernel with shared memory is 128.
-- system: nbody
-- source: N-body on A100, N = 4096, stride 4: 218.5e9 interactions/s, 202.4e9 with 32
-- place: the table of block sizes of nbody_shared.cu
-- derived: that 128 is the best, which is read off the table; the text says only that the rate rises and then falls
-- holds if: BLOCK_SIZE 128 is at most 2 % slower than the best of all seven (nbody_shared, experiment
--   nbody/shared_block_size)
WITH
  sizes AS (
    SELECT *, min(median_us) OVER (PARTITION BY device) AS best_us,
      count(median_us) OVER (PARTITION BY device) AS timed,
      max(active_sms) FILTER (WHERE block_size = 256) OVER (PARTITION BY device) AS larger_sms
    FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'shared_block_size' AND variant = 'nbody_shared' AND n = 4096),
  best AS (SELECT device, block_size FROM sizes WHERE median_us = best_us GROUP BY device)
SELECT sizes.device, (median_us <= 1.02 * best_us) AS holds,
  printf('128 takes %.2f us; the best is %d with %.2f us.', median_us, best.block_size, best_us) AS evidence,
  printf('Blocks of 128 give a block to %d of %d SMs, blocks of 256 only to %d; smaller ones meet at a barrier more '
    || 'often.', active_sms, sms, larger_sms) AS explanation,
  1.02 * 218.453 >= max(112.448, 168.277, 202.379, 201.166, 178.102, 113.207) AS holds_there,
  printf('218.5e9 interactions/s are %.2f times the next, 202.4e9 with 32; the table of strides has 197.1e9 for the '
    || 'same 128 x 4, so two runs differ by more than that.', 218.453 / 202.379) AS there
FROM sizes JOIN best USING (device)
WHERE sizes.block_size = 128 AND median_us IS NOT NULL AND timed >= 7 AND larger_sms IS NOT NULL;
