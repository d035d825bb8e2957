-- title: What ran when in an execution of a plan: each kernel, copy and fill with its stream, begin and end (docs/counters.md)
-- parameters: :experiment, :system, :device, :configuration (its name), :limit (records of each, those that began first; all)
-- empty: there are no timelines; 'tailwave timeline' records them on a GPU
-- needs: SELECT 1 FROM timeline_summary WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, kind)) AND (:configuration IS NULL OR :configuration = configuration) AND (:limit IS NULL OR :limit > 0) LIMIT 1
SELECT timeline_summary.system || '/' || experiment AS experiment, device, configuration, number, timeline_record.kind,
  timeline_record.name, position, gpu, stream, begin_ns / 1000.0 AS begin_us, end_ns / 1000.0 AS end_us,
  (end_ns - begin_ns) / 1000.0 AS duration_us, bytes, remark
FROM timeline_summary JOIN timeline_record USING (timeline_id)
WHERE age = 1 AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, timeline_summary.kind))
  AND (:configuration IS NULL OR :configuration = configuration) AND (:limit IS NULL OR number < :limit)
ORDER BY timeline_summary.system, timeline_summary.experiment, device, configuration, number;
