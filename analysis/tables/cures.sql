-- title: Each schedule of an experiment that varies SCHEDULE, over a block for each tile (plain, BLOCK_STRIDE 1), with intervals of 95 %
-- parameters: :experiment, :system, :device, :margin (what differs by no more counts as tied; 0.01)
-- empty: no experiment varies SCHEDULE
WITH
  scheduled AS (
    SELECT current_trial.*, parameters ->> 'SCHEDULE' AS schedule, coalesce(parameters ->> 'BLOCK_STRIDE', 1) AS block_stride,
      json_remove(parameters, '$.SCHEDULE', '$.BLOCKS', '$.BLOCK_STRIDE') AS others
    FROM current_trial JOIN trial_rate USING (trial_id, device, kind, metric, maximise)
    WHERE schedule IS NOT NULL
      AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))),
  plain AS (
    SELECT system, experiment, run_device, run_kind, device, kind, problem, variant, others, min(trial_id) AS plain_id
    FROM scheduled WHERE schedule = 'plain' AND block_stride = 1
    GROUP BY system, experiment, run_device, run_kind, device, kind, problem, variant, others),
  pair AS (
    SELECT scheduled.*, plain_id
    FROM scheduled
      JOIN plain USING (system, experiment, run_device, run_kind, device, kind, problem, variant, others)),
  timed AS (
    SELECT trial_id, median(time_ns) / 1000 AS median_us, median_low(time_ns) / 1000 AS low_us,
      median_high(time_ns) / 1000 AS high_us
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM pair) GROUP BY trial_id),
  costs AS MATERIALIZED (SELECT sample_cost.* FROM pair CROSS JOIN sample_cost USING (trial_id)),
  compared AS (
    SELECT pair.trial_id, compare_with_best(costs.trial_id, repetition, cost, coalesce(:margin, 0.01)) AS verdicts
    FROM pair JOIN costs ON costs.trial_id IN (pair.trial_id, plain_id)
    GROUP BY pair.trial_id),
  verdict AS (
    SELECT compared.trial_id, item.value ->> 'trial_id' AS compared_id, item.value ->> 'verdict' AS verdict,
      item.value ->> 'ratio' AS ratio, item.value ->> 'low' AS low, item.value ->> 'high' AS high
    FROM compared, json_each(verdicts) AS item),
  -- Of the two the better one has the ratio 1 and the interval 1 to 1.
  related AS (
    SELECT pair.trial_id, own.ratio / base.ratio AS ratio, own.low / base.high AS ratio_low,
      own.high / base.low AS ratio_high, iif(own.verdict = 'best', base.verdict, own.verdict) AS verdict
    FROM pair
      JOIN verdict AS own ON own.trial_id = pair.trial_id AND own.compared_id = pair.trial_id
      JOIN verdict AS base ON base.trial_id = pair.trial_id AND base.compared_id = plain_id)
SELECT system || '/' || experiment AS experiment, run_device, pair.device, pair.kind, plain_waves.waves AS plain_waves,
  occupancy_device, schedule, block_stride,
  (SELECT grid_x * grid_y * grid_z FROM launch
   WHERE launch.trial_id = pair.trial_id AND launch.kernel = plain_waves.kernel ORDER BY position LIMIT 1) AS blocks,
  timed.median_us, timed.low_us, timed.high_us, plain_timed.median_us AS plain_us, ratio, ratio_low, ratio_high,
  CASE WHEN pair.trial_id = plain_id THEN 'plain' WHEN verdict <> 'slower' THEN verdict WHEN ratio < 1 THEN 'faster' ELSE 'slower' END
    AS verdict, configuration
FROM pair
  JOIN timed USING (trial_id)
  JOIN timed AS plain_timed ON plain_timed.trial_id = plain_id
  JOIN related USING (trial_id)
  LEFT JOIN trial_waves AS plain_waves ON plain_waves.trial_id = plain_id
ORDER BY system, pair.experiment, run_kind DESC, run_device, pair.kind DESC, pair.device, pair.variant, others,
  plain_waves, pair.problem, CASE schedule WHEN 'plain' THEN 0 ELSE 1 END, schedule, block_stride, blocks, configuration;
