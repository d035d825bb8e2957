-- Why the warps of each counted launch did not issue: a row for each reason that was counted, 'selected' for those that
-- did, and 'other' for what is left. per_issue: warps that wait for this, for each instruction that a scheduler issues;
-- share: of all cycles of all warps, which all rows together make 1. place: 1 for the reason that costs most; selected
-- has none. doubt: where the reasons are more than all warps, since they come from different executions (passes).
-- 'other' is little where all reasons were counted. Counters may lack some: those that a chip does not have, and what a set does
-- not name, among it not_selected (ready, while another warp was issued: there were enough).
CREATE VIEW counter_stall AS
WITH
  reason (reason) AS (
    VALUES ('long_scoreboard'), ('wait'), ('short_scoreboard'), ('math_pipe_throttle'), ('barrier'), ('lg_throttle'),
      ('mio_throttle'), ('not_selected'), ('branch_resolving'), ('dispatch_stall'), ('drain'), ('imc_miss'), ('membar'),
      ('misc'), ('no_instruction'), ('sleeping'), ('tex_throttle'), ('gmma')),
  totals AS (  -- warps for each that issues
    SELECT counter_run_id, position, issues, coalesce(warps / nullif(issues, 0), ratio) AS total FROM (
      SELECT counter_run_id, position,
        max(value) FILTER (WHERE metric = 'sm__warps_active.sum') AS warps,
        max(value) FILTER (WHERE metric = 'smsp__issue_active.sum') AS issues,
        coalesce(max(value) FILTER (WHERE metric = 'smsp__average_warps_active_per_issue_active.ratio'),
          max(value) FILTER (WHERE metric = 'smsp__average_warp_latency_per_inst_issued.ratio')) AS ratio
      FROM counter_value WHERE doubt IS NULL GROUP BY counter_run_id, position)),
  counted AS (
    SELECT totals.counter_run_id, totals.position, reason, total, coalesce(
        (SELECT value FROM counter_value
         WHERE counter_value.counter_run_id = totals.counter_run_id AND counter_value.position = totals.position
           AND doubt IS NULL AND metric = 'smsp__warps_issue_stalled_' || reason || '.sum') / nullif(issues, 0),
        (SELECT value FROM counter_value
         WHERE counter_value.counter_run_id = totals.counter_run_id AND counter_value.position = totals.position
           AND doubt IS NULL
           AND metric = 'smsp__average_warps_issue_stalled_' || reason || '_per_issue_active.ratio')) AS per_issue
    FROM totals CROSS JOIN reason WHERE total > 0),
  known AS (SELECT * FROM counted WHERE per_issue IS NOT NULL),
  complete AS (
    SELECT counter_run_id, position, reason, total, per_issue, 0 AS rest FROM known
    UNION ALL
    SELECT counter_run_id, position, 'selected', total, 1, 0 FROM known GROUP BY counter_run_id, position, total
    UNION ALL
    SELECT counter_run_id, position, 'other', total, max(0, total - 1 - sum(per_issue)), total - 1 - sum(per_issue)
    FROM known GROUP BY counter_run_id, position, total)
SELECT counter_run_id, position, reason, per_issue, per_issue / total AS share,
  CASE WHEN reason <> 'selected' THEN row_number() OVER (
    PARTITION BY counter_run_id, position ORDER BY reason = 'selected', per_issue DESC, reason) END AS place,
  CASE WHEN rest < -0.05 * total THEN 'the reasons are more than all warps' END AS doubt
FROM complete;
