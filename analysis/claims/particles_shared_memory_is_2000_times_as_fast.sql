-- claim: With shared memory the program is 2000 times as fast as it was found.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 0.16 s, 0.36 s without shared memory and 21 s on one core
-- place: third edition for the GPU, its time: a damaged sentence, which has the 2000 twice
-- derived: that it means the program for one core, or that for the GPU
-- holds if: serial or gpu over shared_repaired, the edition as it was meant, is 2000 within 20 % (experiment
--   particles/editions)
WITH steps AS (
  SELECT device, max(sms) AS sms, max(median_us) FILTER (WHERE variant = 'serial') AS cpu_us,
    max(median_us) FILTER (WHERE variant = 'gpu') AS gpu_us,
    max(median_us) FILTER (WHERE variant = 'shared_repaired') AS shared_us,
    max(active_sms) FILTER (WHERE variant = 'shared_repaired') AS active_sms,
    max(waves) FILTER (WHERE variant = 'shared_repaired') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000
    AND (variant = 'serial' OR variant IN ('gpu', 'shared_repaired') AND block_size = 128)
  GROUP BY device)
SELECT device, abs(cpu_us / shared_us / 2000 - 1) <= 0.2 OR abs(gpu_us / shared_us / 2000 - 1) <= 0.2 AS holds,
  printf('serial takes %.3f s, gpu %.2f ms and shared_repaired '
    || '%.2f ms: %d and %.2f times.',
    cpu_us / 1e6, gpu_us / 1e3, shared_us / 1e3, round(cpu_us / shared_us), gpu_us / shared_us) AS evidence,
  printf('%d of %d SMs have a block, %.3f waves, with and without shared memory, '
    || 'and each thread has 1000 pairs.', active_sms, sms, waves) AS explanation,
  abs(21 / 0.16 / 2000 - 1) <= 0.2 OR abs(0.36 / 0.16 / 2000 - 1) <= 0.2 AS holds_there,
  printf('By its own figures it is %d times as fast as one core and %.2f times '
    || 'as the program for the GPU.', round(21 / 0.16), 0.36 / 0.16) AS there
FROM steps WHERE cpu_us IS NOT NULL AND gpu_us IS NOT NULL AND shared_us IS NOT NULL AND waves IS NOT NULL;
