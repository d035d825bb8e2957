-- claim: A block size below the maximum of 1024 makes v3 slower.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060 (10 SMs), N = 20480
-- place: TODO
-- holds if: BLOCK_SIZE 1024 is at most 2 % slower than the best of v3_repaired (experiment nbody_force_law/block_size)
WITH
  sizes AS (
    SELECT *, min(median_us) OVER (PARTITION BY device, variant) AS best_us,
      count(median_us) OVER (PARTITION BY device, variant) AS timed
    FROM gpu_trial WHERE system = 'nbody_force_law' AND experiment = 'block_size' AND variant = 'v3_repaired'
      AND n = 20480),
  best AS (SELECT device, variant, block_size, active_sms FROM sizes WHERE median_us = best_us GROUP BY device,
    variant),
  largest AS (
    SELECT sizes.device, variant, median_us, best_us, best.block_size, best.active_sms AS best_sms, sizes.active_sms,
      sms, grid
    FROM sizes JOIN best USING (device, variant)
    WHERE sizes.block_size = 1024 AND median_us IS NOT NULL AND timed >= 6 AND sizes.active_sms IS NOT NULL
    ORDER BY variant)
SELECT device, (max(median_us / best_us) <= 1.02) AS holds,
  group_concat(printf('%s: 1024 takes %.0f us, %d takes %.0f', variant, median_us, block_size, best_us), '; ') || '.'
    AS evidence,
  printf('%d blocks of 1024 give %d of %d SMs a block; the best sizes reach %d to %d SMs.', max(grid), max(active_sms),
    max(sms),
    min(best_sms), max(best_sms)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM largest GROUP BY device;
