-- claim: One thread a body makes the program faster than the serial one, 400 times.
-- system: nbody
-- source: N-body on A100, N = 4096: 32.3e9 against 0.081e9 interactions/s
-- place: the output of the three programs, and the first point of the short analysis below it
-- derived: the ratio; the text says only that it is faster
-- holds if: nbody_parallel (BLOCK_SIZE 32, experiment nbody/basic_block_size) over serial, one core of the GPU's host
--   (nbody/editions), is 399 within 20 %
WITH ours AS (
  SELECT device, max(sms) AS sms, max(value) FILTER (WHERE experiment = 'editions' AND variant = 'serial') AS cpu_value,
    max(value) FILTER (WHERE parallel) AS parallel_value, max(active_sms) FILTER (WHERE parallel) AS active_sms
  FROM (
    SELECT *, experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND block_size = 32 AS parallel
    FROM gpu_trial WHERE system = 'nbody' AND experiment IN ('editions', 'basic_block_size') AND n = 4096)
  GROUP BY device)
SELECT device, (abs(parallel_value / cpu_value / 399 - 1) <= 0.2) AS holds,
  printf('serial reaches %.3fe9 and nbody_parallel %.1fe9 interactions/s: %g times.', cpu_value / 1e9,
    parallel_value / 1e9, round(parallel_value / cpu_value, iif(parallel_value < 10 * cpu_value, 1, 0))) AS evidence,
  printf('The core is %.1f times and the GPU, with one warp on %d of %d SMs, %.1f times as fast as the study''s.',
    cpu_value / 0.081e9, active_sms, sms, parallel_value / 32.320e9) AS explanation,
  abs(32.320 / 0.081 / 399 - 1) <= 0.2 AS holds_there,
  printf('32.3e9 over 0.081e9 are %d times.', round(32.320 / 0.081)) AS there
FROM ours WHERE cpu_value IS NOT NULL AND parallel_value IS NOT NULL AND active_sms IS NOT NULL;
