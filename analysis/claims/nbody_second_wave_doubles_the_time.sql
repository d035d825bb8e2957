-- claim: A grid that exceeds one wave of 32 blocks an SM takes about twice the time of one that does not.
-- system: nbody
-- source: N-body on A100: the reason given for block size 1
-- place: TODO
-- holds if: the time of one pull (time / N, since every thread of basic does N pulls in a row) rises 1.5 times or more
--   from the largest N within one wave to the next (experiment nbody/scaling, basic with BLOCK_SIZE 32)
WITH
  pulls AS (
    SELECT *, 1000 * median_us / n AS pull_ns, lead(n) OVER each AS next_n,
      lead(1000 * median_us / n) OVER each AS next_ns,
      lead(waves) OVER each AS next_waves, lead(grid) OVER each AS next_grid, lead(value) OVER each AS next_value
    FROM gpu_trial WHERE system = 'nbody' AND experiment = 'scaling' AND variant = 'basic' AND median_us IS NOT NULL
    WINDOW each AS (PARTITION BY device ORDER BY n))
SELECT device, (next_ns >= 1.5 * pull_ns) AS holds,
  printf('N = %d (%.2f waves) takes %.1f ns a pull of each thread, N = %d (%.2f waves) %.1f ns: %.2f times.', n, waves,
    pull_ns, next_n, next_waves, next_ns, next_ns / pull_ns) AS evidence,
  printf('%d SMs hold %d blocks of one warp: %d of the %d blocks start only when others end, and the rate stays near '
    || '%.0fe9 interactions/s (%.0fe9 before).', sms, sms * blocks_per_sm, next_grid - sms * blocks_per_sm, next_grid,
    next_value / 1e9, value / 1e9) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM pulls WHERE waves <= 1 AND next_waves > 1;
