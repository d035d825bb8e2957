-- claim: At a fixed stride a larger block, whose tile is used more often, is first faster and then slower.
-- system: nbody
-- source: N-body on A100, N = 4096, stride 4: 112.4e9 (8), 218.5e9 (128) and 113.2e9 interactions/s (512)
-- place: observation 1 on nbody_shared.cu
-- holds if: both BLOCK_SIZE 8 and 512 take more than 1.02 times as long as the best (nbody_shared, experiment
--   nbody/shared_block_size)
WITH sizes AS (
  SELECT device, max(median_us) FILTER (WHERE block_size = 8) AS small_us,
    max(median_us) FILTER (WHERE block_size = 512) AS large_us, min(median_us) AS best_us,
    max(grid) FILTER (WHERE block_size = 8) AS small_blocks, max(grid) FILTER (WHERE block_size = 512) AS large_blocks,
    max(active_sms) FILTER (WHERE block_size = 512) AS active_sms, max(sms) AS sms, count(median_us) AS timed
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'shared_block_size' AND variant = 'nbody_shared' AND n = 4096
  GROUP BY device)
SELECT device, small_us > 1.02 * best_us AND large_us > 1.02 * best_us AS holds,
  printf('8 takes %.2f and 512 %.2f times as long as the best, %.1f us.', small_us / best_us, large_us / best_us,
    best_us) AS evidence,
  printf('%d blocks of 8 have a warp each with 8 threads, which use a body of a tile 8 times; %d blocks of 512 are on '
    || '%d of %d SMs.', small_blocks, large_blocks, active_sms, sms) AS explanation,
  218.453 > 1.02 * 112.448 AND 218.453 > 1.02 * 113.207 AS holds_there,
  printf('By its table 8 takes %.2f and 512 %.2f times as long as 128.', 218.453 / 112.448, 218.453 / 113.207) AS there
FROM sizes WHERE small_us IS NOT NULL AND large_us IS NOT NULL AND active_sms IS NOT NULL AND timed >= 7;
