-- claim: What makes block size 1 half as fast is mainly the tail: blocks beyond a whole wave wait for a second one.
-- system: nbody
-- source: N-body on A100, N = 4096: the reason given for 14.7e9 (block size 1) beside 27.3e9 interactions/s (2)
-- place: observation 1 on the block size of nbody_parallel.cu, third point
-- derived: the numbers of bodies just below and just above one wave of blocks of one thread
-- holds if: from the largest N within one wave to the next above it the time of a pull (time / N, since every thread
--   does N pulls in a row) rises 1.5 times or more (nbody_parallel with BLOCK_SIZE 1, experiment nbody/second_wave)
WITH
  pulls AS (
    SELECT *, 1000 * median_us / n AS pull_ns, lead(n) OVER each AS next_n,
      lead(1000 * median_us / n) OVER each AS next_ns, lead(waves) OVER each AS next_waves,
      lead(grid) OVER each AS next_grid
    FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'second_wave' AND variant = 'nbody_parallel' AND block_size = 1
      AND median_us IS NOT NULL
    WINDOW each AS (PARTITION BY device ORDER BY n))
SELECT device, CASE WHEN next_n <= 1.1 * n THEN next_ns >= 1.5 * pull_ns END AS holds,
  printf('N = %d (%.2f waves) takes %.1f ns a pull of each thread, N = %d (%.2f waves) %.1f ns: %.2f times%s.', n,
    waves, pull_ns, next_n, next_waves, next_ns, next_ns / pull_ns,
    CASE WHEN next_n > 1.1 * n THEN ', which says nothing, since they are too far apart' ELSE '' END) AS evidence,
  printf('%d SMs hold %d blocks: %d of the %d blocks start only when others end, with few others beside them.',
    sms, sms * blocks_per_sm, next_grid - sms * blocks_per_sm, next_grid) AS explanation,
  gpu_waves('a100', 4096, 1, 32, 0) > 1 AND 27.311 / 14.749 >= 1.5 AS holds_there,
  printf('Planned for an A100, 4096 blocks of 1 are %.2f waves and 2048 of 2 are %.2f, and its table has %.2f times '
    || 'the rate for those; it has no other N.', gpu_waves('a100', 4096, 1, 32, 0), gpu_waves('a100', 2048, 2, 32, 0),
    27.311 / 14.749) AS there
FROM pulls WHERE waves <= 1 AND next_waves > 1;
