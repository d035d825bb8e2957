-- claim: The cost of launches explains why all steps in one kernel are 7800 times as fast.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 1000 steps: 4.6e-5 s against 0.36 s
-- confirmed if: fused, which waits for the whole grid after each step, is 100 times as fast as basic or more at N = 1000 and
--   STEPS = 1000 (experiments particles/launch_overhead_stream and launch_overhead_graph)
WITH steps AS (
  SELECT device, max(sms) AS sms,
    max(median_us / steps) FILTER (WHERE variant = 'basic' AND experiment = 'launch_overhead_stream') AS stream_us,
    max(median_us / steps) FILTER (WHERE variant = 'basic' AND experiment = 'launch_overhead_graph') AS graph_us,
    max(median_us / steps) FILTER (WHERE variant = 'fused' AND experiment = 'launch_overhead_stream') AS fused_us,
    max(active_sms) FILTER (WHERE variant = 'fused') AS active_sms, max(waves) FILTER (WHERE variant = 'fused') AS waves
  FROM (SELECT *, problem ->> 'STEPS' AS steps FROM gpu_trial
        WHERE system = 'particles' AND experiment IN ('launch_overhead_stream', 'launch_overhead_graph') AND n = 1000)
  WHERE steps = 1000 GROUP BY device)
SELECT device, CASE WHEN stream_us >= 100 * fused_us THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('A step takes %.2f us with launches in a stream, %s in a graph and %.2f us in one launch: %.2f times, '
    || 'published 0.046 us.', stream_us, CASE WHEN graph_us IS NULL THEN 'not measured' ELSE printf('%.2f us',
    graph_us) END, fused_us, stream_us / fused_us) AS evidence,
  printf('%d of %d SMs have a block, %.3f waves: what is left without launches is each thread''s 1000 pairs and a '
    || 'barrier of the grid.', active_sms, sms, waves) AS explanation
FROM steps WHERE stream_us IS NOT NULL AND fused_us IS NOT NULL AND waves IS NOT NULL;
