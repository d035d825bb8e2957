-- claim: What slows gpu5 is mainly execution dependency: its warps wait for the results of earlier instructions.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler: named, without a figure
-- place: nbodyGPU5, the first paragraph
-- derived: that execution dependency is wait and short_scoreboard, as the profilers of later GPUs call it
-- holds if: of a warp's stalls in gpu5_repaired, wait and short_scoreboard together outweigh every other reason (view
--   counter_stall, without selected, not_selected and other, of the configurations of nbody_force_law/variants, by
--   'tailwave counters' or Nsight Compute)
WITH stalls AS (
  SELECT device, sms, grid, block, sum(per_issue) AS total,
    sum(per_issue) FILTER (WHERE reason IN ('wait', 'short_scoreboard')) AS execution,
    max(per_issue) FILTER (WHERE reason NOT IN ('wait', 'short_scoreboard')) AS next,
    sum(per_issue) FILTER (WHERE reason = 'long_scoreboard') AS memory
  FROM counter_launch JOIN counter_stall USING (counter_run_id, position)
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND variant = 'gpu5_repaired' AND kernel = 'body_force'
    AND age = 1 AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH'
    AND reason NOT IN ('selected', 'not_selected', 'other') AND counter_stall.doubt IS NULL
  GROUP BY device, counter_run_id)
SELECT device, execution > next AS holds,
  printf('Of %.2f warps that wait for each that issues, %.2f do so for execution, %.2f for memory and %.2f for the '
    || 'most frequent other reason.', total, execution, memory, next) AS evidence,
  printf('%d blocks of %d threads on %d SMs; a root and five divisions a pair are chains of dependent instructions.',
    grid, block, sms) AS explanation,
  1 AS holds_there, 'Its profiler named it the main reason; the text prints no figure.' AS there
FROM stalls WHERE execution IS NOT NULL AND next IS NOT NULL AND memory IS NOT NULL;
