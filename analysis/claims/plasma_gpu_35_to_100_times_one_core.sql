-- claim: The GPU is 35 to 100 times as fast as one core.
-- system: plasma
-- source: Plasma simulation, GT 630 against one core with Java, 20000 ions, 400 modes
-- place: conclusions
-- holds if: cpu over modes_and_ions, both with TRIG sincos, is 35 to 100 (experiment plasma/variants)
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'cpu') AS cpu_us,
    max(median_us) FILTER (WHERE variant = 'modes_and_ions') AS gpu_us, max(waves) AS waves,
    max(active_sms) AS active_sms,
    max(sms) AS sms
  FROM gpu_trial
  WHERE system = 'plasma' AND experiment = 'variants' AND parameters ->> 'TRIG' = 'sincos'
    AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400
  GROUP BY device)
SELECT device, (cpu_us / gpu_us BETWEEN 35 AND 100) AS holds,
  printf('A step takes %.1f ms on one core and %.1f us on the GPU: %g times.', cpu_us / 1e3, gpu_us,
    round(cpu_us / gpu_us, iif(cpu_us < 10 * gpu_us, 1, 0))) AS evidence,
  printf('%.2f waves give a block to %d of %d SMs; a GT 630 has far fewer, and the core here runs compiled C++.', waves,
    active_sms, sms) AS explanation,
  1 AS holds_there,
  'The study measured 35 to 100 times over Java on one core of 2.2 GHz.' AS there
FROM ways WHERE cpu_us IS NOT NULL AND gpu_us IS NOT NULL AND waves IS NOT NULL;
