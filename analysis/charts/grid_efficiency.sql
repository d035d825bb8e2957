-- Efficiency against the number of blocks: blocks per second over the most that any measured grid reached. Points are
-- medians; lines are the staircase model and the model with the least median error on the grids that were held out.
WITH RECURSIVE
  aged AS (
    SELECT grid_curve.*, configuration.name, configuration.variant,
      row_number() OVER (PARTITION BY configuration_id, position ORDER BY measured_at DESC, grid_curve.id DESC) AS age
    FROM grid_curve
      JOIN device ON device.id = device_id
      JOIN configuration ON configuration.id = configuration_id
    WHERE grid_curve.system = :system AND device.name = :device AND device.kind = :kind
      AND (grid_curve.experiment = :experiment OR configuration_id IN (
        SELECT configuration_id FROM current_trial
        WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind))),
  curve AS MATERIALIZED (SELECT *, coalesce(cluster_slots, sms * blocks_per_sm) AS slots FROM aged WHERE age = 1),
  measured AS MATERIALIZED (
    SELECT curve_id, blocks, median(time_ns) AS time_ns, max(fitted) AS fitted
    FROM grid_sample WHERE curve_id IN (SELECT id FROM curve) AND time_ns > 0 GROUP BY curve_id, blocks),
  top AS MATERIALIZED (
    SELECT curve_id, max(blocks / time_ns) AS rate, max(blocks) AS blocks, count(*) AS grids, sum(1 - fitted) AS held_out
    FROM measured GROUP BY curve_id HAVING count(*) >= 3),
  errors AS (
    SELECT curve_id, model, median(abs(grid_prediction.time_ns / measured.time_ns - 1)) AS error
    FROM grid_prediction JOIN measured USING (curve_id, blocks)
    WHERE fitted = 0 OR curve_id IN (SELECT curve_id FROM top WHERE held_out = 0)
    GROUP BY curve_id, model),
  ranked AS (
    SELECT *, row_number() OVER (PARTITION BY curve_id ORDER BY error, model) AS place FROM errors),
  models AS MATERIALIZED (
    SELECT curve_id, model, iif(place = 1, 'best', 'staircase') AS part,
      printf('%s model: median error %.1f %%', replace(model, '_', ' '), 100 * error) AS label
    FROM ranked WHERE place = 1 OR model = 'staircase'),
  wave(curve_id, number) AS (
    SELECT curve_id, 1 FROM top
    UNION ALL
    SELECT curve_id, number + 1 FROM wave JOIN curve ON id = curve_id JOIN top USING (curve_id)
    WHERE (number + 1) * slots <= blocks AND number < 40),
  rows AS (
    SELECT curve_id, iif(fitted, 'fitted', 'held out') AS part, blocks, blocks / time_ns AS rate, NULL AS text FROM measured
    UNION ALL
    SELECT curve_id, part, blocks, blocks / time_ns, NULL
    FROM models JOIN grid_prediction USING (curve_id, model) WHERE time_ns > 0
    UNION ALL
    SELECT curve_id, 'wave', number * slots, NULL,
      CASE WHEN number % max(1, (blocks / slots + 7) / 8) = 0 OR number = 1
        THEN printf('%d wave%s', number, iif(number = 1, '', 's')) END
    FROM wave JOIN curve ON id = curve_id JOIN top USING (curve_id) WHERE number * slots <= blocks)
SELECT printf('%s launch %d', name, position) AS chart,
  'Efficiency against the size of the grid on ' || :device AS title,
  printf('%s, %s: blocks of %,d thread%s, a wave is %s', variant, kernel, block_threads,
         iif(block_threads = 1, '', 's'),
         iif(cluster_slots IS NULL, printf('%d SMs x %d blocks', sms, blocks_per_sm), printf('%d blocks in clusters', cluster_slots)))
    || char(10) ||
    printf('%d grids measured, %d of them held out from fitting', grids, held_out) AS subtitle,
  coalesce((SELECT label FROM models WHERE models.curve_id = id AND part = 'best'), '') AS best_label,
  coalesce((SELECT label FROM models WHERE models.curve_id = id AND part = 'staircase'), '') AS staircase_label,
  part, rows.blocks, round(rows.rate / top.rate, 5) AS efficiency, text
FROM rows JOIN curve ON id = curve_id JOIN top USING (curve_id)
ORDER BY name, position, part, rows.blocks;
