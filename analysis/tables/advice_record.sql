-- title: How good advice is: where both configurations were measured, how often its prediction had the direction right (docs/waves.md)
-- parameters: :experiment, :system, :device, :least (a predicted gain that counts as advice; 1.02)
WITH
  predicted AS (
    SELECT system || '/' || experiment AS name, device, parameter, gain,
      wave_balance(new_grid, sms, new_blocks_per_sm) / wave_balance(grid, sms, blocks_per_sm)
        * work_ratio * grid * ((block + 31) / 32) / (new_grid * ((new_block + 31) / 32))
        * latency_hiding(new_grid, new_block, sms, new_blocks_per_sm) / latency_hiding(grid, block, sms, blocks_per_sm)
        AS predicted
    FROM trial_change
    WHERE (:experiment IS NULL OR :experiment IN (experiment, system || '/' || experiment))
      AND (:experiment IS NULL OR :experiment IN (new_experiment, new_system || '/' || new_experiment))
      AND (:system IS NULL OR :system = system) AND (:system IS NULL OR :system = new_system) AND (:device IS NULL OR :device IN (device, 'cuda'))),
  marked AS MATERIALIZED (
    SELECT *, predicted >= coalesce(:least, 1.02) AS advised, gain NOT BETWEEN 1 / 1.02 AND 1.02 AS clear
    FROM predicted),
  scoped AS (
    SELECT 0 AS scope, name AS experiment, device, parameter, gain, predicted, advised, clear FROM marked
    UNION ALL
    SELECT 1, 'all', device, parameter, gain, predicted, advised, clear FROM marked
    UNION ALL
    SELECT 2, 'all', device, 'all', gain, predicted, advised, clear FROM marked)
SELECT experiment, device, parameter, count(*) AS changes, sum(advised) AS advised,
  sum(advised AND gain > 1) AS faster, 1.0 * sum(advised AND gain > 1) / nullif(sum(advised), 0) AS share_faster,
  sum(advised AND clear) AS clear, sum(advised AND clear AND gain > 1) AS clearly_faster,
  median(CASE WHEN advised THEN predicted END) AS median_predicted,
  median(CASE WHEN advised THEN gain END) AS median_measured, rank_correlation(predicted, gain) AS correlation
FROM scoped
GROUP BY scope, experiment, device, parameter
ORDER BY device, scope, experiment, parameter;
