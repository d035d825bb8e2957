-- What each sample costs by the experiment's metric, dropped ones left out: less is better, whatever the goal. ns for
-- 'time', ns per unit of work for a rate; the inverse of these where the goal is the slowest.
CREATE VIEW sample_cost AS
SELECT trial_id, repetition, position,
  CASE WHEN (metric = 'time') = maximise THEN coalesce(work, 1) / nullif(time_ns, 0) ELSE time_ns / coalesce(work, 1) END
    AS cost
FROM (
  SELECT sample.*, run.metric, run.maximise,
    json_extract(trial.work, '$."' || replace(run.metric, '_per_second', '') || '"') AS work
  FROM sample CROSS JOIN trial ON trial.id = sample.trial_id JOIN run ON run.id = trial.run_id)
WHERE dropped IS NULL;
