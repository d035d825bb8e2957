-- claim: The kernel with shared memory is 2700 times as fast as the serial program.
-- system: nbody
-- source: N-body on A100, N = 4096: 218.5e9 against 0.081e9 interactions/s
-- place: the output of the three programs
-- derived: the ratio; the text says 1434
-- holds if: nbody_shared (BLOCK_SIZE 128, BLOCK_STRIDE 4, experiment nbody/shared_block_size) over serial, one core of the
--   GPU's host (nbody/editions), is 2697 within 20 %
WITH ours AS (
  SELECT device, max(sms) AS sms, max(value) FILTER (WHERE experiment = 'editions' AND variant = 'serial') AS cpu_value,
    max(value) FILTER (WHERE shared) AS shared_value, max(active_sms) FILTER (WHERE shared) AS active_sms
  FROM (
    SELECT *, experiment = 'shared_block_size' AND variant = 'nbody_shared' AND block_size = 128 AS shared
    FROM gpu_trial WHERE system = 'nbody' AND experiment IN ('editions', 'shared_block_size') AND n = 4096)
  GROUP BY device)
SELECT device, (abs(shared_value / cpu_value / 2697 - 1) <= 0.2) AS holds,
  printf('serial reaches %.3fe9 and nbody_shared %.1fe9 interactions/s: %g times.', cpu_value / 1e9, shared_value / 1e9,
    round(shared_value / cpu_value, iif(shared_value < 10 * cpu_value, 1, 0))) AS evidence,
  printf('The core is %.1f times and the GPU, with %d of %d SMs at work, %.1f times as fast as the study''s: the '
    || 'factor says as much of the core as of the GPU.', cpu_value / 0.081e9, active_sms, sms,
    shared_value / 218.453e9) AS explanation,
  abs(218.453 / 0.081 / 2697 - 1) <= 0.2 AS holds_there,
  printf('218.5e9 over 0.081e9 are %d times; the latter has two digits, which leaves %d to %d.', round(218.453 / 0.081),
    round(218.453 / 0.0815), round(218.453 / 0.0805)) AS there
FROM ours WHERE cpu_value IS NOT NULL AND shared_value IS NOT NULL AND active_sms IS NOT NULL;
