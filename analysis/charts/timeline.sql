-- What ran when in an execution of a configuration, a lane a stream: those records that began first.
WITH
  shown AS MATERIALIZED (
    SELECT *, count(*) OVER () AS charts,
      CASE WHEN span_ns >= 2e6 THEN 1e6 WHEN span_ns >= 2e3 THEN 1e3 ELSE 1.0 END AS unit_ns
    FROM timeline_summary
    WHERE age = 1 AND span_ns > 0 AND system = :system AND device = :device AND kind = :kind
      AND (experiment = :experiment OR configuration_id IN (
        SELECT configuration_id FROM current_trial WHERE current_trial.system = :system
          AND current_trial.experiment = :experiment AND run_device = :device AND run_kind = :kind))
    ORDER BY streams DESC, configuration LIMIT 4),
  bars AS MATERIALIZED (
    SELECT timeline_id, number, timeline_record.name, gpu, stream, begin_ns, end_ns, bytes,
      max(gpu) OVER (PARTITION BY timeline_id) > 0 AS on_several
    FROM shown JOIN timeline_record USING (timeline_id) WHERE number < 600)
SELECT configuration AS chart, charts, 'What runs when on ' || device AS title,
  printf('%s: %,d records in %d stream%s; nothing ran for %g %% of the time, two or more for %g %%', variant, found, streams,
         iif(streams = 1, '', 's'), round(100.0 * idle_ns / span_ns, 1), round(100.0 * overlap_ns / span_ns, 1)) ||
    char(10) || printf('%g %s from the first begin to the last end', round(span_ns / unit_ns, 3),
      CASE unit_ns WHEN 1e6 THEN 'ms' WHEN 1e3 THEN 'us' ELSE 'ns' END) ||
    iif(records > 600, '; the first 600 records are shown', '') || coalesce('; ' || remark, '') AS subtitle,
  CAST(max(40, 26 * streams) AS INTEGER) AS height,
  CASE unit_ns WHEN 1e6 THEN 'ms' WHEN 1e3 THEN 'us' ELSE 'ns' END AS unit,
  iif(on_several, printf('GPU %d, stream %d', gpu, stream), 'stream ' || stream) AS lane, bars.name AS name,
  round(begin_ns / unit_ns, 6) AS begin, round(end_ns / unit_ns, 6) AS end, bytes
FROM bars JOIN shown USING (timeline_id)
ORDER BY streams DESC, configuration, gpu, stream, number;
