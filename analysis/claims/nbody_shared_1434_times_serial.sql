-- claim: The kernel with shared memory is 1434 times as fast as the serial program.
-- system: nbody
-- source: N-body on A100, N = 4096: the study's text, against its own output of 218.5e9 and 0.081e9 interactions/s
-- place: the short analysis below the output of the three programs, last point
-- holds if: nbody_shared (BLOCK_SIZE 128, BLOCK_STRIDE 4, experiment nbody/shared_block_size) over serial (nbody/editions)
--   is 1434 within 20 %
WITH ours AS (
  SELECT device, max(value) FILTER (WHERE experiment = 'editions' AND variant = 'serial') AS cpu_value,
    max(value) FILTER (WHERE experiment = 'shared_block_size' AND variant = 'nbody_shared' AND block_size = 128)
      AS shared_value
  FROM gpu_trial WHERE system = 'nbody' AND experiment IN ('editions', 'shared_block_size') AND n = 4096
  GROUP BY device)
SELECT device, abs(shared_value / cpu_value / 1434 - 1) <= 0.2 AS holds,
  printf('serial reaches %.3fe9 and nbody_shared %.1fe9 interactions/s: %g times.', cpu_value / 1e9, shared_value / 1e9,
    round(shared_value / cpu_value, iif(shared_value < 10 * cpu_value, 1, 0))) AS evidence,
  printf('The core is %.1f times and the GPU %.1f times as fast as the study''s.', cpu_value / 0.081e9,
    shared_value / 218.453e9) AS explanation,
  abs(218.453 / 0.081 / 1434 - 1) <= 0.2 AS holds_there,
  printf('The output of its own programs gives %d times.', round(218.453 / 0.081)) AS there
FROM ours WHERE cpu_value IS NOT NULL AND shared_value IS NOT NULL;
