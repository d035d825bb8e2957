-- title: The wave models on grids that they were not fitted to, in percent of the measured time: all systems of a device, and each
-- parameters: :experiment, :system, :device
-- empty: there are no curves with predictions; 'tailwave curve' makes them on a GPU
WITH
  latest AS (
    SELECT grid_curve.*, device.name AS device, device.kind,
      row_number() OVER (
        PARTITION BY device_id, configuration_id, position ORDER BY measured_at DESC, grid_curve.id DESC) AS age
    FROM grid_curve JOIN device ON device.id = device_id
    WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind))),
  judged AS MATERIALIZED (
    SELECT device, kind, system, curve_id, model, 100 * abs(relative_error) AS error
    FROM latest JOIN grid_error ON curve_id = latest.id WHERE age = 1),
  grouped AS (
    SELECT *, system AS part, 1 AS rank FROM judged UNION ALL SELECT *, 'all', 0 FROM judged)
SELECT device, kind, part AS system, model, count(DISTINCT curve_id) AS curves, count(*) AS held_out_grids,
  median(error) AS median_percent, quantile(error, 0.95) AS percent_95, max(error) AS worst_percent
FROM grouped
GROUP BY device, kind, part, rank, model
ORDER BY kind DESC, device, rank, part, median_percent, percent_95, model;
