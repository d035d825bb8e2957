-- claim: The kernel with shared memory is 2700 times as fast as the serial program.
-- system: nbody
-- source: N-body on A100, N = 4096: 218.5e9 against 0.081e9 interactions/s in its table
-- place: TODO
-- holds if: shared (BLOCK_SIZE 128, BLOCK_STRIDE 4) over cpu, one core of the GPU's host, is 2697 within 20 %
--   (experiment nbody/variants)
WITH steps AS (
  SELECT gpu_trial.device, sms, max(median_us) FILTER (WHERE variant = 'cpu') AS cpu_us,
    max(value) FILTER (WHERE variant = 'cpu') AS cpu_value,
    max(value) FILTER (WHERE variant = 'shared' AND parameters ->> 'BLOCK_STRIDE' = 4) AS shared_value,
    max(active_sms) FILTER (WHERE variant = 'shared' AND parameters ->> 'BLOCK_STRIDE' = 4) AS active_sms
  FROM gpu_trial WHERE system = 'nbody' AND experiment = 'variants' AND n = 4096
  GROUP BY gpu_trial.device)
SELECT device, (abs(shared_value / cpu_value / 2697 - 1) <= 0.2) AS holds,
  printf('cpu reaches %.3fe9 and shared %.1fe9 interactions/s: %.0f times, published 2697.', cpu_value / 1e9,
    shared_value / 1e9, shared_value / cpu_value) AS evidence,
  printf('The core is %.1f times and the GPU, with %d of %d SMs at work, %.1f times as fast as the study''s: the '
    || 'factor says as much of the core as of the GPU.', cpu_value / 0.081e9, active_sms, sms,
    shared_value / 218.453e9) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM steps WHERE cpu_value IS NOT NULL AND shared_value IS NOT NULL AND active_sms IS NOT NULL;
