-- claim: The best block size of the kernel with shared memory is 128.
-- system: nbody
-- source: N-body on A100, N = 4096, stride 4: 218.5e9 interactions/s, 8 % above 32
-- place: TODO
-- holds if: BLOCK_SIZE 128 is at most 2 % slower than the best of all seven (experiment nbody/shared_block_size)
WITH
  sizes AS (
    SELECT *, min(median_us) OVER (PARTITION BY device) AS best_us,
      count(median_us) OVER (PARTITION BY device) AS timed,
      max(active_sms) FILTER (WHERE block_size = 256) OVER (PARTITION BY device) AS larger_sms
    FROM gpu_trial WHERE system = 'nbody' AND experiment = 'shared_block_size' AND variant = 'shared' AND n = 4096),
  best AS (SELECT device, block_size FROM sizes WHERE median_us = best_us GROUP BY device)
SELECT sizes.device, (median_us <= 1.02 * best_us) AS holds,
  printf('128 takes %.2f us; the best is %d with %.2f us.', median_us, best.block_size, best_us) AS evidence,
  printf('Blocks of 128 give a block to %d of %d SMs, blocks of 256 only to %d; smaller ones meet at a barrier more '
    || 'often.', active_sms, sms, larger_sms) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM sizes JOIN best USING (device)
WHERE sizes.block_size = 128 AND median_us IS NOT NULL AND timed >= 7 AND larger_sms IS NOT NULL;
