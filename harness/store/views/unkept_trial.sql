-- The trials that ranked_trial has of experiments whose ranking is not kept. A view of its own, so that what is asked of it is asked
-- before the places are worked out.
CREATE VIEW unkept_trial AS
SELECT current_trial.*, trial_rate.value,
  row_number() OVER (alike ORDER BY CASE WHEN maximise THEN -value ELSE value END NULLS LAST, configuration) AS place,
  row_number() OVER (alike ORDER BY CASE WHEN maximise THEN value ELSE -value END NULLS LAST, configuration)
    AS place_from_worst,
  count(*) OVER alike AS of_ranked,
  NULL AS standing, NULL AS to_best, NULL AS to_best_low, NULL AS to_best_high
FROM current_trial JOIN trial_rate USING (trial_id, device, kind, metric, maximise)
WHERE NOT EXISTS (
  SELECT 1 FROM ranking WHERE NOT stale AND ranking.system = current_trial.system
    AND ranking.experiment = current_trial.experiment AND ranking.run_device = current_trial.run_device
    AND ranking.run_kind = current_trial.run_kind)
WINDOW alike AS (PARTITION BY system, experiment, run_device, run_kind, device, kind, peers, problem);
