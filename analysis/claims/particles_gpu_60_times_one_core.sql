-- claim: The program for the GPU, as it was found, is about 60 times as fast as one core.
-- system: particles
-- source: Particle simulation, unnamed GPU against one core at 2.2 GHz, n = 1000: 0.36 s and 21 s
-- place: running on the GPU, time of the program as it was found
-- holds if: serial over gpu with BLOCK_SIZE 128 is 60 within 20 % (experiment particles/editions)
WITH steps AS (
  SELECT device, max(sms) AS sms, max(median_us) FILTER (WHERE variant = 'serial') AS cpu_us,
    max(median_us) FILTER (WHERE variant = 'gpu') AS gpu_us,
    max(active_sms) FILTER (WHERE variant = 'gpu') AS active_sms,
    max(waves) FILTER (WHERE variant = 'gpu') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000
    AND (variant = 'serial' OR variant = 'gpu' AND block_size = 128)
  GROUP BY device)
SELECT device, abs(cpu_us / gpu_us / 60.0 - 1) <= 0.2 AS holds,
  printf('serial takes %.3f s and gpu %.2f ms: %.1f times.', cpu_us / 1e6, gpu_us / 1e3, cpu_us / gpu_us)
    AS evidence,
  printf('n = 1000 gives a block to %d of %d SMs, %.3f waves: the factor says how small the problem is for this GPU.',
    active_sms, sms, waves) AS explanation,
  abs(21 / 0.36 / 60 - 1) <= 0.2 AS holds_there,
  printf('By its figures, 21 and 0.36 s: %.1f times.', 21 / 0.36) AS there
FROM steps WHERE cpu_us IS NOT NULL AND gpu_us IS NOT NULL AND waves IS NOT NULL;
