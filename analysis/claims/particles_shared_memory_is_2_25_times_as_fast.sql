-- claim: Shared memory makes the program 2.25 times as fast.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 0.16 s against 0.36 s, which are 2.25 times, measured with a pointer that nobody had set
-- place: TODO
-- holds if: gpu over shared_repaired, the edition as it was meant, both with BLOCK_SIZE 128, is 2.25 within 20 %
--   (experiment particles/editions)
WITH steps AS (
  SELECT device, max(sms) AS sms, max(median_us) FILTER (WHERE variant = 'gpu') AS gpu_us,
    max(median_us) FILTER (WHERE variant = 'shared_repaired') AS shared_us,
    max(active_sms) FILTER (WHERE variant = 'shared_repaired') AS active_sms,
    max(waves) FILTER (WHERE variant = 'shared_repaired') AS waves,
    max(outcome) FILTER (WHERE variant = 'shared_as_published') AS published
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000
    AND (block_size = 128 OR block_size IS NULL)
  GROUP BY device)
SELECT device, (abs(gpu_us / shared_us / 2.25 - 1) <= 0.2) AS holds,
  printf('gpu takes %.2f ms and shared_repaired %.2f ms: %.2f times.', gpu_us / 1e3, shared_us / 1e3, gpu_us / shared_us)
    AS evidence,
  printf('%d of %d SMs have a block, %.3f waves, in both; the published edition itself ends as %s.', active_sms, sms,
    waves,
    coalesce(published, 'not tried')) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM steps WHERE gpu_us IS NOT NULL AND shared_us IS NOT NULL AND waves IS NOT NULL;
