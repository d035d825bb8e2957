-- claim: The basic kernel is 58 times as fast as one core.
-- system: particles
-- source: Particle simulation, unnamed GPU against one core at 2.2 GHz, n = 1000: 0.36 s and 21 s
-- confirmed if: cpu over basic with BLOCK_SIZE 128 is 58.3 within 20 % (experiment particles/editions)
WITH steps AS (
  SELECT device, max(sms) AS sms, max(median_us) FILTER (WHERE variant = 'cpu') AS cpu_us,
    max(median_us) FILTER (WHERE variant = 'basic') AS basic_us,
    max(active_sms) FILTER (WHERE variant = 'basic') AS active_sms,
    max(waves) FILTER (WHERE variant = 'basic') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 GROUP BY device)
SELECT device, CASE WHEN abs(cpu_us / basic_us / 58.3 - 1) <= 0.2 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('cpu takes %.3f s and basic %.2f ms: %.1f times.', cpu_us / 1e6, basic_us / 1e3, cpu_us / basic_us)
    AS evidence,
  printf('n = 1000 gives a block to %d of %d SMs, %.3f waves: the factor says how small the problem is for this GPU.',
    active_sms, sms, waves) AS explanation
FROM steps WHERE cpu_us IS NOT NULL AND basic_us IS NOT NULL AND waves IS NOT NULL;
