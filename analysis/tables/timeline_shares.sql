-- title: How much of an execution each kernel, copy and fill takes on each GPU, how long nothing ran there, and two or more at once (docs/counters.md)
-- parameters: :experiment, :system, :device, :configuration (its name)
-- empty: there are no timelines; 'tailwave timeline' records them on a GPU
-- needs: SELECT 1 FROM timeline_summary WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, kind)) AND (:configuration IS NULL OR :configuration = configuration) LIMIT 1
SELECT timeline_summary.system || '/' || experiment AS experiment, device, configuration, gpu, timeline_record.kind, name,
  count(*) AS count, sum(end_ns - begin_ns) / 1000.0 AS total_us,
  100.0 * sum(end_ns - begin_ns) / nullif(span_ns, 0) AS percent, max(end_ns - begin_ns) / 1000.0 AS largest_us,
  sum(bytes) AS bytes, time_ns / 1000 AS plan_us, span_ns / 1000.0 AS span_us, on_gpu.streams,
  100.0 * on_gpu.idle_ns / nullif(span_ns, 0) AS idle_percent,
  100.0 * on_gpu.overlap_ns / nullif(span_ns, 0) AS overlap_percent, remark
FROM timeline_summary JOIN timeline_record USING (timeline_id)
  JOIN (SELECT timeline_id, gpu, streams, idle_ns, overlap_ns FROM timeline_gpu) AS on_gpu USING (timeline_id, gpu)
WHERE age = 1 AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, timeline_summary.kind))
  AND (:configuration IS NULL OR :configuration = configuration)
GROUP BY timeline_id, gpu, timeline_record.kind, name
ORDER BY timeline_summary.system, timeline_summary.experiment, device, configuration, gpu, sum(end_ns - begin_ns) DESC, name;
