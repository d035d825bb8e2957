-- title: How good the rule of waves and occupancy is: where both configurations were measured, how often its prediction had the direction right (docs/waves.md)
-- parameters: :experiment, :system, :device, :least (a predicted gain that counts; 1.02)
-- empty: no two configurations that were measured differ by what the rule is about
WITH
  -- What is asked about. Said beside the same conditions below: a table is read by its index then, a view by its conditions.
  asked_of AS MATERIALIZED (
    SELECT DISTINCT system, experiment FROM current_trial
    WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system)),
  setting AS MATERIALIZED (
    SELECT * FROM trial_setting
    WHERE (system, experiment) IN (SELECT system, experiment FROM asked_of)
      AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system)
      AND (:device IS NULL OR :device IN (run_device, 'cuda'))),
  changed AS (  -- as the view trial_change, which would compute all settings twice
    SELECT system || '/' || experiment AS name, run_device AS device, sms, parameter, old.grid, old.block, old.blocks_per_sm,
      new.grid AS new_grid, new.block AS new_block, new.blocks_per_sm AS new_blocks_per_sm,
      CASE
        WHEN NOT of_problem AND 1.0 * new.threads / old.threads BETWEEN 0.8 AND 1.25 THEN 1.0
        WHEN of_problem AND old.block = new.block AND abs(new.grid - 1.0 * old.grid * new.setting / old.setting) < 2 THEN
          1.0 * new.setting / old.setting
        ELSE 1.0 * new.threads / old.threads END AS work_ratio,
      new.speed / old.speed AS gain
    FROM setting AS old
      JOIN setting AS new USING (system, experiment, run_device, variant, kernel, mode, sms, metric, parameter, of_problem, others)
    WHERE old.setting <> new.setting AND (old.grid <> new.grid OR old.block <> new.block)
      AND CASE
        WHEN of_problem THEN metric <> 'time' AND new.setting BETWEEN 0.5 * old.setting AND 2 * old.setting
        ELSE 1.0 * new.threads / old.threads BETWEEN 0.8 AND 1.25
          OR (new.threads > old.threads) = (new.setting > old.setting) END),
  predicted AS (
    SELECT name, device, parameter, gain,
      wave_balance(new_grid, sms, new_blocks_per_sm) / wave_balance(grid, sms, blocks_per_sm)
        * work_ratio * grid * ((block + 31) / 32) / (new_grid * ((new_block + 31) / 32))
        * latency_hiding(new_grid, new_block, sms, new_blocks_per_sm) / latency_hiding(grid, block, sms, blocks_per_sm)
        AS predicted
    FROM changed),
  marked AS MATERIALIZED (
    SELECT *, predicted >= coalesce(:least, 1.02) AS advised, gain NOT BETWEEN 1 / 1.02 AND 1.02 AS clear
    FROM predicted),
  scoped AS (
    SELECT 0 AS scope, name AS experiment, device, parameter, gain, predicted, advised, clear FROM marked
    UNION ALL
    SELECT 1, 'all', device, parameter, gain, predicted, advised, clear FROM marked
    UNION ALL
    SELECT 2, name, device, 'all', gain, predicted, advised, clear FROM marked
    UNION ALL
    SELECT 3, 'all', device, 'all', gain, predicted, advised, clear FROM marked)
SELECT experiment, device, parameter, count(*) AS changes, sum(advised) AS advised,
  sum(advised AND gain > 1) AS faster, 1.0 * sum(advised AND gain > 1) / nullif(sum(advised), 0) AS share_faster,
  sum(advised AND clear) AS clear, sum(advised AND clear AND gain > 1) AS clearly_faster,
  median(CASE WHEN advised THEN predicted END) AS median_predicted,
  median(CASE WHEN advised THEN gain END) AS median_measured, rank_correlation(predicted, gain) AS correlation
FROM scoped
GROUP BY scope, experiment, device, parameter
ORDER BY device, scope, experiment, parameter;
