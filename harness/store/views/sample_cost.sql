-- What each sample costs by the experiment's metric, dropped ones left out: less is better, whatever the goal. ns for
-- 'time', ns per unit of work for a rate; the inverse of these where the goal is the slowest. Of a metric by an expression
-- its value, or the inverse where more is better; samples that have none are left out. Of a run on several GPUs times are as
-- its first GPU would have them (gpu_factor).
CREATE VIEW sample_cost AS
SELECT trial_id, repetition, position,
  CASE WHEN metric_expression IS NOT NULL THEN iif(maximise, 1 / metric_value, metric_value)
    WHEN (metric = 'time') = maximise THEN coalesce(work, 1) / nullif(own_ns, 0) ELSE own_ns / coalesce(work, 1) END
    AS cost
FROM (
  SELECT sample.*, time_ns / coalesce((
      SELECT factor FROM gpu_factor WHERE gpu_factor.run_id = trial.run_id AND gpu_factor.device_id = trial.device_id), 1)
      AS own_ns, run.metric, run.metric_expression, run.maximise,
    json_extract(trial.work, '$."' || replace(run.metric, '_per_second', '') || '"') AS work
  FROM sample CROSS JOIN trial ON trial.id = sample.trial_id JOIN run ON run.id = trial.run_id)
WHERE dropped IS NULL AND (metric_expression IS NULL OR metric_value IS NOT NULL);
