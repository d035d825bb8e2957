-- claim: For 1000 particles blocks of 64 threads are the best.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 0.36 s with 64, and 0.35 s with 32 and with 16
-- place: running on the GPU, number of particles and block size: the sentence above the table
-- holds if: gpu with BLOCK_SIZE 64 is at most 2 % slower than the best of 8, 16, ..., 512 at N = 1000, all seven
--   measured (experiment particles/block_size)
WITH sizes AS (
  SELECT device, max(sms) AS sms, count(DISTINCT block_size) AS measured, min(median_us) AS best_us,
    max(median_us) FILTER (WHERE block_size = 64) AS us, max(waves) FILTER (WHERE block_size = 64) AS waves,
    max(active_sms) FILTER (WHERE block_size = 64) AS active_sms
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'block_size' AND variant = 'gpu' AND n = 1000
    AND block_size IN (8, 16, 32, 64, 128, 256, 512) AND median_us IS NOT NULL
  GROUP BY device)
SELECT device, us <= 1.02 * best_us AS holds,
  printf('64 threads take %.2f ms, and the best block size, %d, takes %.2f ms: %.3f times.', us / 1e3,
    (SELECT block_size FROM gpu_trial AS best
     WHERE best.device = sizes.device AND system = 'particles' AND experiment = 'block_size' AND variant = 'gpu'
       AND n = 1000 AND median_us = best_us),
    best_us / 1e3, us / best_us) AS evidence,
  printf('Blocks of 64 are on %d of %d SMs, %.3f waves: each of its threads has all 1000 pairs, whatever the block.',
    active_sms, sms, waves) AS explanation,
  0.36 <= 1.02 * 0.35 AS holds_there,
  printf('In its table 64 takes 0.36 s, %.3f times what 32 and 16 take, and as long as 128.', 0.36 / 0.35) AS there
FROM sizes WHERE measured = 7 AND us IS NOT NULL;
