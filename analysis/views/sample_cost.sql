-- What each sample costs by the experiment's metric, dropped ones left out: less is better, whatever the goal. ns for
-- 'time', ns per unit of work for a rate; the inverse of these where the goal is the slowest.
CREATE VIEW sample_cost AS
SELECT sample.trial_id, repetition, position,
  CASE WHEN (metric = 'time') = maximise THEN coalesce(work, 1) / nullif(time_ns, 0) ELSE time_ns / coalesce(work, 1) END
    AS cost
FROM sample JOIN trial_rate USING (trial_id)
WHERE dropped IS NULL;
