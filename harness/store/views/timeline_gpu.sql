-- Each GPU of each timeline in one row, which is one for each processing element. span_ns: of all GPUs, as in timeline_summary;
-- busy_ns: of that, while something ran on this one; idle_ns: while nothing did, before its first record and after its last one,
-- too; overlap_ns: while two or more ran on it.
CREATE VIEW timeline_gpu AS
WITH
  changes AS (
    SELECT timeline_id, gpu, begin_ns AS at_ns, 1 AS change FROM timeline_record
    UNION ALL SELECT timeline_id, gpu, end_ns, -1 FROM timeline_record),
  moments AS (
    SELECT timeline_id, gpu, sum(sum(change)) OVER in_time AS running, lead(at_ns) OVER in_time - at_ns AS lasted_ns
    FROM changes GROUP BY timeline_id, gpu, at_ns WINDOW in_time AS (PARTITION BY timeline_id, gpu ORDER BY at_ns)),
  parts AS (
    SELECT timeline_id, gpu, coalesce(sum(lasted_ns) FILTER (WHERE running > 0), 0) AS busy_ns,
      coalesce(sum(lasted_ns) FILTER (WHERE running > 1), 0) AS overlap_ns
    FROM moments GROUP BY timeline_id, gpu),
  kept AS (
    SELECT timeline_id, gpu, count(*) AS records, count(DISTINCT stream) AS streams FROM timeline_record GROUP BY timeline_id, gpu),
  spans AS (SELECT timeline_id, max(end_ns) AS span_ns FROM timeline_record GROUP BY timeline_id)
SELECT timeline_id, gpu, records, streams, span_ns, busy_ns, span_ns - busy_ns AS idle_ns, overlap_ns
FROM kept JOIN parts USING (timeline_id, gpu) JOIN spans USING (timeline_id);
