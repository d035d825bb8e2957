-- Each timeline in one row. span_ns: from the first begin to the last end of what was kept; idle_ns: of that, while nothing
-- ran; overlap_ns: while two or more ran. age: 1 for the latest of the configuration on a device of that name.
CREATE VIEW timeline_summary AS
WITH
  changes AS (
    SELECT timeline_id, begin_ns AS at_ns, 1 AS change FROM timeline_record
    UNION ALL SELECT timeline_id, end_ns, -1 FROM timeline_record),
  moments AS (
    SELECT timeline_id, at_ns, sum(sum(change)) OVER in_time AS running, lead(at_ns) OVER in_time - at_ns AS lasted_ns
    FROM changes GROUP BY timeline_id, at_ns WINDOW in_time AS (PARTITION BY timeline_id ORDER BY at_ns)),
  spans AS (
    SELECT timeline_id, max(at_ns) AS span_ns, coalesce(sum(lasted_ns) FILTER (WHERE running = 0), 0) AS idle_ns,
      coalesce(sum(lasted_ns) FILTER (WHERE running > 1), 0) AS overlap_ns
    FROM moments GROUP BY timeline_id),
  streams AS (
    SELECT timeline_id, count(*) AS streams, sum(records) AS records
    FROM (SELECT timeline_id, count(*) AS records FROM timeline_record GROUP BY timeline_id, gpu, stream)
    GROUP BY timeline_id)
SELECT timeline.id AS timeline_id, device.name AS device, device.kind, timeline.system, experiment,
  configuration.id AS configuration_id, configuration.name AS configuration, variant, parameters, problem, observed_at,
  time_ns, found, records, streams, span_ns, idle_ns, overlap_ns, remark,
  row_number() OVER (
    PARTITION BY device.name, device.kind, configuration.id ORDER BY observed_at DESC, timeline.id DESC) AS age
FROM timeline
  JOIN device ON device.id = device_id
  JOIN configuration ON configuration.id = configuration_id
  JOIN spans ON spans.timeline_id = timeline.id
  JOIN streams ON streams.timeline_id = timeline.id;
