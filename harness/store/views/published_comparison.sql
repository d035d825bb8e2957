-- Every published value beside our trials of the same experiment, variant and named parameters, for each device
-- that ran the experiment; one row without a trial where it has none. Where several configurations fit, since
-- they vary in what the study does not name, `place` 1 is the best of `fitting`. value: the published quantity
-- from our median, in SI units. ratio: above 1, ours is faster; none for a kernel that the CPU device executed,
-- whose time says nothing of a GPU.
CREATE VIEW published_comparison AS
WITH
  measured AS (
    SELECT DISTINCT system, experiment, run_device, run_kind FROM run_series
    WHERE NOT superseded AND EXISTS (SELECT 1 FROM trial WHERE trial.run_id = run_series.run_id)
      AND experiment IN (SELECT experiment FROM published_value)),
  -- not current_trial itself, of which an outer join would read every experiment
  counting AS (
    SELECT current_trial.* FROM measured CROSS JOIN current_trial USING (system, experiment, run_device, run_kind)),
  matched AS (
    SELECT published.id AS published_id, measured.system, published.experiment, published.study,
      published.device AS published_device, published.quantity, published.unit, published.variant,
      published.parameters AS named, published.value AS published_value, published.invalid, published.note,
      measured.run_device, measured.run_kind, ours.trial_id, ours.device, ours.kind, ours.configuration, ours.outcome, ours.unverified,
      CASE
        WHEN published.quantity = 'time' THEN median_ns / 1e9
        ELSE json_extract(ours.work, '$."' || replace(published.quantity, '_per_second', '') || '"')
             / nullif(median_ns / 1e9, 0)
      END AS value,
      EXISTS (SELECT 1 FROM trial JOIN build ON build.id = build_id
              WHERE trial.id = ours.trial_id AND target = 'cpu') AS emulated
    FROM published_value AS published
      JOIN measured ON measured.experiment = published.experiment
        AND coalesce(published.system, measured.system) = measured.system
      LEFT JOIN counting AS ours ON ours.system = measured.system AND ours.experiment = measured.experiment
        AND ours.run_device = measured.run_device AND ours.run_kind = measured.run_kind
        AND ours.variant = published.variant
        AND NOT EXISTS (
          SELECT 1 FROM json_each(published.parameters) AS parameter
          WHERE parameter.value IS NOT coalesce(json_extract(ours.parameters, '$."' || parameter.key || '"'),
                                                json_extract(ours.problem, '$."' || parameter.key || '"')))
      LEFT JOIN trial_time ON trial_time.trial_id = ours.trial_id)
SELECT *,
  CASE WHEN emulated THEN NULL WHEN quantity = 'time' THEN published_value / value ELSE value / published_value END
    AS ratio,
  count(trial_id) OVER (PARTITION BY published_id, system, experiment, run_device, run_kind) AS fitting,
  row_number() OVER (
    PARTITION BY published_id, system, experiment, run_device, run_kind
    ORDER BY CASE WHEN quantity = 'time' THEN -value ELSE value END DESC NULLS LAST, configuration) AS place
FROM matched;
