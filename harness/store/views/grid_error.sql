-- What each model predicts for each grid that was held out when it was fitted, beside the median of the grid's samples.
-- relative_error: above 0, the prediction is too long.
CREATE VIEW grid_error AS
WITH
  ordered AS (
    SELECT curve_id, blocks, time_ns,
      row_number() OVER (PARTITION BY curve_id, blocks ORDER BY time_ns) - 1 AS place,
      count(*) OVER (PARTITION BY curve_id, blocks) - 1 AS last
    FROM grid_sample WHERE fitted = 0),
  measured AS (
    SELECT curve_id, blocks, sum(time_ns * max(0, 1 - abs(place - 0.5 * last))) AS median_ns
    FROM ordered GROUP BY curve_id, blocks)
SELECT curve_id, model, blocks, 1.0 * blocks / coalesce(cluster_slots, sms * blocks_per_sm) AS waves, median_ns,
  grid_prediction.time_ns AS predicted_ns, grid_prediction.time_ns / median_ns - 1 AS relative_error
FROM grid_prediction
  JOIN measured USING (curve_id, blocks)
  JOIN grid_curve ON grid_curve.id = curve_id
WHERE median_ns > 0;
