-- claim: Blocks smaller than the largest possible make v3 slower.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060 (10 SMs), N = 20480: a rule, without figures
-- place: Nbody kernel v3, the paragraph, on the restrictions that shared memory imposes
-- holds if: every BLOCK_SIZE from 32 to 512 takes more than 1.02 times as long as 1024 (v3_repaired, experiment
--   nbody_force_law/block_size)
WITH
  sizes AS (
    SELECT device, block_size, median_us, active_sms, sms, grid, count(*) OVER (PARTITION BY device) AS timed,
      max(median_us) FILTER (WHERE block_size = 1024) OVER (PARTITION BY device) AS largest_us,
      max(active_sms) FILTER (WHERE block_size = 1024) OVER (PARTITION BY device) AS largest_sms,
      max(grid) FILTER (WHERE block_size = 1024) OVER (PARTITION BY device) AS largest_grid
    FROM gpu_trial
    WHERE system = 'nbody_force_law' AND experiment = 'block_size' AND variant = 'v3_repaired' AND n = 20480
      AND median_us IS NOT NULL),
  best AS (
    SELECT *, min(median_us) FROM sizes WHERE block_size < 1024 GROUP BY device)
SELECT device, median_us > 1.02 * largest_us AS holds,
  printf('1024 takes %d us; the best of the smaller ones, %d, takes %d us.', round(largest_us), block_size,
    round(median_us)) AS evidence,
  printf('%d blocks of 1024 give %d of %d SMs a block, %d blocks of %d give one to %d.', largest_grid, largest_sms, sms,
    grid, block_size, active_sms) AS explanation,
  gpu_waves('gtx1060', 20, 1024, 32, 16384) >= 1 AND 20480 / 128 > 20480 / 1024 AS holds_there,
  printf('The text has no figures. With 32 registers, the most that its 100 %% occupancy allows, 20 blocks of 1024 '
    || 'fill the %d SMs of a GTX 1060, %.2f waves: smaller ones gain no SM, and blocks of 128 read all bodies %d times '
    || 'in place of %d.', gpu_sms('gtx1060'), gpu_waves('gtx1060', 20, 1024, 32, 16384), 20480 / 128, 20480 / 1024)
    AS there
FROM best WHERE timed >= 6 AND largest_us IS NOT NULL AND largest_sms IS NOT NULL;
