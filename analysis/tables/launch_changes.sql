-- title: What changes of launches should gain by waves and occupancy alone (grids, block sizes, strides, problem sizes), right or wrong; advice chooses from it (docs/waves.md)
-- parameters: :experiment, :system, :device, :configuration (its name, or 'all' for the fastest fifth of each problem, at most 300; without it, the best of each problem), :limit (how many for each; 5), :least (predicted gain; 1.02), :margin (what differs by no more counts as tied; 0.01)
-- empty: no change of a launch is predicted to gain, or the occupancy of the kernels is not known
WITH RECURSIVE
  -- What is asked about. Said beside the same conditions below: a table is read by its index then, a view by its conditions.
  asked_of AS MATERIALIZED (
    SELECT DISTINCT system, experiment FROM current_trial
    WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system)),
  chosen AS MATERIALIZED (
    SELECT ranked_trial.trial_id, ranked_trial.configuration_id, trial.device_id, ranked_trial.system,
      ranked_trial.experiment, run_device, variant, configuration, problem, parameters, place, kernel, trial_waves.sms, grid,
      block, blocks_per_sm, registers, static_shared_bytes + dynamic_shared_bytes AS shared_bytes, occupancy_device
    FROM ranked_trial
      JOIN trial_waves ON trial_waves.trial_id = ranked_trial.trial_id
      JOIN trial ON trial.id = ranked_trial.trial_id
      JOIN device ON device.id = trial.device_id
    WHERE (system, experiment) IN (SELECT system, experiment FROM asked_of)
      AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system)
      AND run_kind = 'cuda' AND device.kind = 'cuda' AND blocks_per_sm > 0
      AND (ranked_trial.metric = 'time') <> ranked_trial.maximise
      AND (SELECT metric_expression FROM run WHERE run.id = ranked_trial.run_id) IS NULL
      AND (:device IS NULL OR :device IN (run_device, run_kind))
      AND CASE
        WHEN :configuration IS NULL THEN place = 1
        WHEN :configuration = 'all' THEN place <= min(300, max(5, of_ranked / 5))
        ELSE :configuration = configuration END),
  setting AS MATERIALIZED (
    SELECT * FROM trial_setting
    WHERE (system, experiment) IN (SELECT system, experiment FROM asked_of)
      AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system)),
  changed AS MATERIALIZED (  -- as the view trial_change, which would compute all settings twice
    SELECT old.trial_id, parameter, of_problem, old.setting, old.grid, old.block, old.blocks_per_sm,
      new.trial_id AS new_trial_id, new.setting AS new_setting, new.grid AS new_grid, new.block AS new_block,
      new.blocks_per_sm AS new_blocks_per_sm,
      CASE
        WHEN NOT of_problem AND 1.0 * new.threads / old.threads BETWEEN 0.8 AND 1.25 THEN 1.0
        WHEN of_problem AND old.block = new.block AND abs(new.grid - 1.0 * old.grid * new.setting / old.setting) < 2 THEN
          1.0 * new.setting / old.setting
        ELSE 1.0 * new.threads / old.threads END AS work_ratio,
      new.speed / old.speed AS gain
    FROM setting AS old
      JOIN setting AS new USING (system, experiment, run_device, variant, kernel, mode, sms, metric, parameter, of_problem, others)
    WHERE old.trial_id IN (SELECT trial_id FROM chosen)
      AND old.setting <> new.setting AND (old.grid <> new.grid OR old.block <> new.block)
      AND CASE
        WHEN of_problem THEN metric <> 'time' AND new.setting BETWEEN 0.5 * old.setting AND 2 * old.setting
        ELSE 1.0 * new.threads / old.threads BETWEEN 0.8 AND 1.25
          OR (new.threads > old.threads) = (new.setting > old.setting) END),

  -- Grids: those of whole waves, or where there is a curve of the configuration's main kernel, those that the model nearest
  -- to the latest one has predicted.
  curve AS MATERIALIZED (
    SELECT chosen.trial_id, grid_curve.id AS curve_id,
      row_number() OVER (PARTITION BY chosen.trial_id ORDER BY measured_at DESC, grid_curve.id DESC) AS age
    FROM chosen JOIN grid_curve USING (configuration_id, kernel)
      JOIN device AS timed ON timed.id = grid_curve.device_id JOIN device AS own ON own.id = chosen.device_id
    WHERE full_grid = grid AND timed.name = own.name AND timed.sms = own.sms AND grid_curve.sms = chosen.sms),
  timed_grid AS MATERIALIZED (
    SELECT curve_id, blocks, median(time_ns) AS time_ns, max(fitted) AS fitted
    FROM grid_sample WHERE time_ns > 0 AND curve_id IN (SELECT curve_id FROM curve WHERE age = 1)
    GROUP BY curve_id, blocks),
  model AS MATERIALIZED (
    SELECT curve_id, model, max(iif(fitted, NULL, error)) AS worst_error, row_number() OVER (
        PARTITION BY curve_id ORDER BY coalesce(median(iif(fitted, NULL, error)), median(error)), model) AS place
    FROM (SELECT curve_id, model, fitted, abs(grid_prediction.time_ns / timed_grid.time_ns - 1) AS error
          FROM grid_prediction JOIN timed_grid USING (curve_id, blocks))
    GROUP BY curve_id, model),
  modelled AS MATERIALIZED (
    SELECT trial_id, model, blocks, grid_prediction.time_ns
    FROM curve JOIN model USING (curve_id) JOIN grid_prediction USING (curve_id, model)
    WHERE age = 1 AND place = 1 AND grid_prediction.time_ns > 0),
  grid_of_interest AS (
    SELECT trial_id, grid / (sms * blocks_per_sm) * sms * blocks_per_sm AS new_grid FROM chosen
    UNION
    SELECT trial_id, (grid / (sms * blocks_per_sm) + 1) * sms * blocks_per_sm FROM chosen
    WHERE grid % (sms * blocks_per_sm) > 0
    UNION
    SELECT trial_id, blocks FROM modelled),
  other_grid AS (
    SELECT chosen.*, new_grid, other.model, (1.0 * new_grid / other.time_ns) / (1.0 * grid / own.time_ns) AS model_gain
    FROM grid_of_interest
      JOIN chosen USING (trial_id)
      LEFT JOIN modelled AS own ON own.trial_id = chosen.trial_id AND own.blocks = grid
      LEFT JOIN modelled AS other
        ON other.trial_id = chosen.trial_id AND other.blocks = new_grid AND own.trial_id IS NOT NULL
    WHERE new_grid BETWEEN 0.5 * grid AND 2 * grid AND new_grid <> grid
      AND (other.model IS NOT NULL OR chosen.trial_id NOT IN (SELECT trial_id FROM modelled))),
  -- The one problem quantity that the grid follows in steps of a block, if there is just one.
  sized AS (
    SELECT trial_id, min(item.key) AS parameter, min(item.atom) AS setting, (min(item.atom) + block - 1) / block AS steps
    FROM chosen, json_each(problem) AS item
    WHERE item.type = 'integer' AND item.atom > block AND grid % ((item.atom + block - 1) / block) = 0
    GROUP BY trial_id HAVING count(*) = 1),
  grid_change AS (
    SELECT other_grid.trial_id, grid, block, blocks_per_sm, coalesce(sized.parameter, 'grid') AS parameter,
      coalesce(setting, grid) AS setting, coalesce(new_grid / (grid / steps) * block, new_grid) AS new_setting, new_grid,
      model, model_gain,
      (SELECT (1.0 * new_grid / other.time_ns) / (1.0 * grid / own.time_ns)
       FROM curve
         JOIN timed_grid AS own ON own.curve_id = curve.curve_id AND own.blocks = grid
         JOIN timed_grid AS other ON other.curve_id = curve.curve_id AND other.blocks = new_grid
       WHERE curve.trial_id = other_grid.trial_id AND age = 1) AS gain
    FROM other_grid LEFT JOIN sized USING (trial_id)
    WHERE steps IS NULL OR new_grid % (grid / steps) = 0),

  -- Block sizes and strides that the experiment has not tried, whatever came of those it has. Sizes are whole warps, and
  -- powers of two where it has tried no others.
  known AS MATERIALIZED (
    SELECT system, experiment, run_device, variant, problem, parameters FROM current_trial
    WHERE (system, experiment) IN (SELECT system, experiment FROM asked_of)
      AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system)
      AND run_kind = 'cuda'),
  varied AS MATERIALIZED (SELECT 'BLOCK_SIZE' AS parameter UNION SELECT parameter FROM changed),
  asked AS MATERIALIZED (
    SELECT trial_id, system, experiment, run_device, variant, problem, parameter,
      json_remove(parameters, '$."' || parameter || '"') AS others
    FROM chosen CROSS JOIN varied WHERE json_type(parameters, '$."' || parameter || '"') IS NOT NULL),
  tried AS MATERIALIZED (
    SELECT asked.trial_id, parameter, known.parameters ->> parameter AS setting
    FROM asked JOIN known USING (system, experiment, run_device, variant, problem)
    WHERE json_remove(known.parameters, '$."' || parameter || '"') = others),
  block_size (new_block) AS (SELECT 32 UNION ALL SELECT new_block + 32 FROM block_size WHERE new_block < 1024),
  resized AS (
    SELECT chosen.*, new_block, (grid * block + new_block - 1) / new_block AS new_grid,
      occupancy_blocks(occupancy_device, registers, shared_bytes * new_block / block, new_block) AS new_blocks_per_sm
    FROM chosen CROSS JOIN block_size
    WHERE parameters ->> 'BLOCK_SIZE' = block
      AND NOT EXISTS (SELECT 1 FROM tried WHERE tried.trial_id = chosen.trial_id AND parameter = 'BLOCK_SIZE'
                      AND setting = new_block)
      AND ((new_block & (new_block - 1)) = 0
        OR EXISTS (SELECT 1 FROM tried WHERE tried.trial_id = chosen.trial_id AND parameter = 'BLOCK_SIZE'
                   AND (setting & (setting - 1)) > 0))),
  -- Strides: parameters that the grid is in proportion to. The next ones are half and twice as large.
  stride AS (
    SELECT DISTINCT trial_id, parameter, setting, grid, block, blocks_per_sm FROM changed
    WHERE NOT of_problem AND block = new_block AND new_grid * setting = grid * new_setting),
  restrided AS (
    SELECT *, 2 * setting AS new_setting, 2 * grid AS new_grid FROM stride
    UNION ALL
    SELECT *, setting / 2, grid / 2 FROM stride WHERE setting % 2 = 0 AND grid % 2 = 0),

  candidate AS (
    SELECT trial_id, parameter, setting, new_setting, new_grid, new_block, new_blocks_per_sm, NULL AS model,
      NULL AS model_gain, new_trial_id, gain, work_ratio
    FROM changed
    UNION ALL
    SELECT trial_id, parameter, setting, new_setting, new_grid, block, blocks_per_sm, model, model_gain, NULL, gain, 1.0 * new_grid / grid
    FROM grid_change
    WHERE NOT EXISTS (SELECT 1 FROM changed WHERE changed.trial_id = grid_change.trial_id
                      AND changed.parameter = grid_change.parameter AND changed.new_setting = grid_change.new_setting)
    UNION ALL
    SELECT trial_id, 'BLOCK_SIZE', block, new_block, new_grid, new_block, new_blocks_per_sm, NULL, NULL, NULL, NULL, 1
    FROM resized WHERE new_blocks_per_sm > 0
    UNION ALL
    SELECT trial_id, parameter, setting, new_setting, new_grid, block, blocks_per_sm, NULL, NULL, NULL, NULL, 1.0 * new_grid / grid
    FROM restrided
    WHERE NOT EXISTS (SELECT 1 FROM tried WHERE tried.trial_id = restrided.trial_id
                      AND tried.parameter = restrided.parameter AND tried.setting = new_setting)),
  weighed AS (
    SELECT candidate.*, chosen.grid, chosen.block, sms, blocks_per_sm,
      wave_balance(new_grid, sms, new_blocks_per_sm) / wave_balance(grid, sms, blocks_per_sm) AS balance_gain,
      work_ratio * grid * ((block + 31) / 32) / (new_grid * ((new_block + 31) / 32)) AS lanes_gain,
      latency_hiding(new_grid, new_block, sms, new_blocks_per_sm) / latency_hiding(grid, block, sms, blocks_per_sm)
        AS hiding_gain
    FROM candidate JOIN chosen USING (trial_id)),
  predicted AS (
    SELECT *, coalesce(model_gain, balance_gain * lanes_gain * hiding_gain) AS predicted_gain FROM weighed),
  -- Of what was not run only the best one of each parameter and direction, the nearest of equals.
  narrowed AS (
    SELECT *, new_trial_id IS NOT NULL OR row_number() OVER (
        PARTITION BY trial_id, parameter, new_trial_id IS NULL, new_setting > setting
        ORDER BY round(predicted_gain, 9) DESC, abs(new_setting - setting)) = 1 AS kept
    FROM predicted WHERE predicted_gain >= coalesce(:least, 1.02)),
  ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY trial_id
        ORDER BY round(predicted_gain, 9) DESC, abs(1.0 * new_setting / setting - 1), parameter, new_setting) AS place
    FROM narrowed WHERE kept),
  picked AS (SELECT * FROM ranked WHERE place <= coalesce(:limit, 5)),

  -- Of the two the better one has the ratio 1 and the interval 1 to 1.
  compared AS MATERIALIZED (
    SELECT *, (SELECT compare_with_best(trial_id, repetition, cost, coalesce(:margin, 0.01)) FROM sample_cost
               WHERE new_trial_id IS NOT NULL AND sample_cost.trial_id IN (picked.trial_id, new_trial_id)) AS verdicts
    FROM picked),
  related AS (
    SELECT compared.*,
      (SELECT max(nullif(value ->> 'verdict', 'best')) FROM json_each(verdicts)) AS verdict,
      (SELECT max(iif(value ->> 'trial_id' = new_trial_id, NULL, value ->> 'low'))
         / max(iif(value ->> 'trial_id' = new_trial_id, value ->> 'high', NULL)) FROM json_each(verdicts)) AS gain_low,
      (SELECT max(iif(value ->> 'trial_id' = new_trial_id, NULL, value ->> 'high'))
         / max(iif(value ->> 'trial_id' = new_trial_id, value ->> 'low', NULL)) FROM json_each(verdicts)) AS gain_high
    FROM compared)
SELECT system || '/' || experiment AS experiment, run_device AS device, configuration, related.place, parameter,
  setting AS value, new_setting AS new_value, related.grid, new_grid, related.block, new_block,
  related.blocks_per_sm, new_blocks_per_sm,
  1.0 * related.grid / (related.sms * related.blocks_per_sm) AS waves,
  1.0 * new_grid / (related.sms * new_blocks_per_sm) AS new_waves,
  coalesce(model, 'rule') AS predicted_by, predicted_gain,
  iif(model_gain IS NULL, balance_gain, NULL) AS balance_gain, iif(model_gain IS NULL, lanes_gain, NULL) AS lanes_gain,
  iif(model_gain IS NULL, hiding_gain, NULL) AS hiding_gain,
  iif(model_gain IS NULL, NULL, (SELECT worst_error FROM curve JOIN model USING (curve_id)
    WHERE curve.trial_id = related.trial_id AND age = 1 AND model.place = 1)) AS worst_error,
  gain AS measured_gain, gain_low, gain_high,
  CASE WHEN gain IS NULL THEN 'not run' WHEN verdict <> 'slower' THEN verdict WHEN gain > 1 THEN 'faster' ELSE 'slower' END AS measured
FROM related JOIN chosen USING (trial_id)
ORDER BY system, chosen.experiment, run_device, chosen.place, problem, configuration, related.place;
