-- claim: The best block size is about the number of cores, 384.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes
-- place: TODO
-- holds if: BLOCK_SIZE 384 is at most 2 % slower than the best, with TRIG double_sin_cos
--   (experiment plasma/block_size, modes_and_ions)
WITH
  sizes AS (
    SELECT *, min(median_us) OVER (PARTITION BY device) AS best_us, count(median_us) OVER (PARTITION BY device) AS timed
    FROM gpu_trial
    WHERE system = 'plasma' AND experiment = 'block_size' AND variant = 'modes_and_ions'
      AND parameters ->> 'TRIG' = 'double_sin_cos' AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400),
  best AS (SELECT device, block_size, waves, occupancy FROM sizes WHERE median_us = best_us GROUP BY device)
SELECT sizes.device, (median_us <= 1.02 * best_us) AS holds,
  printf('384 takes %.1f us; the best is %d with %.1f us.', median_us, best.block_size, best_us) AS evidence,
  printf('The density kernel has %.2f waves at %.0f %% occupancy with 384 and %.2f at %.0f %% with %d; a GT 630 has '
    || 'far fewer SMs than the %d of this GPU.', sizes.waves, 100 * sizes.occupancy, best.waves, 100 * best.occupancy,
    best.block_size, sms) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM sizes JOIN best USING (device)
WHERE sizes.block_size = 384 AND median_us IS NOT NULL AND timed >= 10 AND sizes.waves IS NOT NULL;
