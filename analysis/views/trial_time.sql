-- Order statistics of each trial's samples, dropped ones left out, in nanoseconds per execution. Quantiles
-- interpolate linearly between order statistics (Hyndman & Fan 1996, type 7). A trial that is not correct has no
-- samples and so no row.
CREATE VIEW trial_time AS
WITH
  ordered AS (
    SELECT trial_id, time_ns,
      row_number() OVER (PARTITION BY trial_id ORDER BY time_ns) - 1 AS place,
      count(*) OVER (PARTITION BY trial_id) - 1 AS last
    FROM sample WHERE dropped IS NULL),
  spread AS (
    SELECT trial_id, count(*) AS samples,
      -- the weight of a sample in a quantile: 1 at its position, falling to 0 one place away
      sum(time_ns * max(0, 1 - abs(place - 0.5 * last))) AS median_ns,
      sum(time_ns * max(0, 1 - abs(place - 0.25 * last))) AS q1_ns,
      sum(time_ns * max(0, 1 - abs(place - 0.75 * last))) AS q3_ns,
      min(time_ns) AS min_ns, max(time_ns) AS max_ns, avg(time_ns) AS mean_ns
    FROM ordered GROUP BY trial_id)
SELECT spread.trial_id, device.name AS device, device.kind, trial.mode, trial.timer, spread.samples,
  spread.median_ns, spread.q1_ns, spread.q3_ns, spread.min_ns, spread.max_ns, spread.mean_ns
FROM spread
  JOIN trial ON trial.id = spread.trial_id
  JOIN device ON device.id = trial.device_id;
