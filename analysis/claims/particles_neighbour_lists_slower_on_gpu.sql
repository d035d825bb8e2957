-- claim: On a GPU, neighbour lists are slower than all pairs.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 0.78 s against 0.36 s
-- confirmed if: neighbours (REBUILD 5) takes more than 1.02 times as long as basic, both with BLOCK_SIZE 128
--   (experiment particles/editions)
WITH
  steps AS (
    SELECT device, max(sms) AS sms, max(median_us) FILTER (WHERE variant = 'basic') AS basic_us,
      max(median_us) FILTER (WHERE variant = 'neighbours') AS list_us,
      max(active_sms) FILTER (WHERE variant = 'neighbours') AS active_sms,
      max(waves) FILTER (WHERE variant = 'neighbours') AS waves
    FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 GROUP BY device),
  larger AS (
    SELECT device, n, max(median_us) FILTER (WHERE variant = 'basic')
        / max(median_us) FILTER (WHERE variant = 'neighbours' AND parameters ->> 'REBUILD' = 5) AS factor
    FROM gpu_trial WHERE system = 'particles' AND experiment = 'scaling' AND n = 10000 GROUP BY device)
SELECT device, CASE WHEN list_us > 1.02 * basic_us THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('basic takes %.2f ms and neighbours %.2f ms: %.2f times.%s', basic_us / 1e3, list_us / 1e3, list_us / basic_us,
    CASE WHEN factor IS NULL THEN '' ELSE printf(' At n = 10000 lists are %.1f times as fast.', factor) END)
      AS evidence,
  printf('%d of %d SMs have a block, %.3f waves: every fifth step each thread looks at all 1000 particles, in the '
    || 'others at its list.', active_sms, sms, waves) AS explanation
FROM steps LEFT JOIN larger USING (device) WHERE basic_us IS NOT NULL AND list_us IS NOT NULL AND waves IS NOT NULL;
