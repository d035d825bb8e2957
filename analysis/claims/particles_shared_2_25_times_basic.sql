-- claim: Shared memory makes the basic kernel 2.25 times as fast.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 0.16 s against 0.36 s, measured with a pointer that nobody had set
-- confirmed if: basic over shared, both with BLOCK_SIZE 128, is 2.25 within 20 % (experiment particles/editions)
WITH steps AS (
  SELECT device, max(sms) AS sms, max(median_us) FILTER (WHERE variant = 'basic') AS basic_us,
    max(median_us) FILTER (WHERE variant = 'shared') AS shared_us,
    max(active_sms) FILTER (WHERE variant = 'shared') AS active_sms,
    max(waves) FILTER (WHERE variant = 'shared') AS waves,
    max(outcome) FILTER (WHERE variant = 'shared_as_published') AS published
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000
    AND (block_size = 128 OR block_size IS NULL)
  GROUP BY device)
SELECT device, CASE WHEN abs(basic_us / shared_us / 2.25 - 1) <= 0.2 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('basic takes %.2f ms and shared %.2f ms: %.2f times.', basic_us / 1e3, shared_us / 1e3, basic_us / shared_us)
    AS evidence,
  printf('%d of %d SMs have a block, %.3f waves, in both; the published edition itself ends as %s.', active_sms, sms,
    waves,
    coalesce(published, 'not tried')) AS explanation
FROM steps WHERE basic_us IS NOT NULL AND shared_us IS NOT NULL AND waves IS NOT NULL;
