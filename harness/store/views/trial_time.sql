-- Median, quartiles and range of each trial's samples, dropped ones left out, in nanoseconds per execution. Quantiles
-- interpolate linearly between order statistics (Hyndman & Fan 1996, type 7). A trial that is not correct has no
-- samples and so no row. Of one table, and each number a query of its own: then a join to some trials, an outer one
-- too, computes what is asked for of those trials, and nothing else.
CREATE VIEW trial_time AS
SELECT id AS trial_id, (SELECT name FROM device WHERE device.id = device_id) AS device,
  (SELECT kind FROM device WHERE device.id = device_id) AS kind, mode, timer,
  (SELECT count(*) FROM sample WHERE trial_id = trial.id AND dropped IS NULL) AS samples,
  -- the weight of a sample in a quantile: 1 at its position, falling to 0 one place away
  (SELECT sum(time_ns * max(0, 1 - abs(place - 0.5 * last))) FROM (
    SELECT time_ns, row_number() OVER (ORDER BY time_ns) - 1 AS place, count(*) OVER () - 1 AS last
    FROM sample WHERE trial_id = trial.id AND dropped IS NULL)) AS median_ns,
  (SELECT sum(time_ns * max(0, 1 - abs(place - 0.25 * last))) FROM (
    SELECT time_ns, row_number() OVER (ORDER BY time_ns) - 1 AS place, count(*) OVER () - 1 AS last
    FROM sample WHERE trial_id = trial.id AND dropped IS NULL)) AS q1_ns,
  (SELECT sum(time_ns * max(0, 1 - abs(place - 0.75 * last))) FROM (
    SELECT time_ns, row_number() OVER (ORDER BY time_ns) - 1 AS place, count(*) OVER () - 1 AS last
    FROM sample WHERE trial_id = trial.id AND dropped IS NULL)) AS q3_ns,
  (SELECT min(time_ns) FROM sample WHERE trial_id = trial.id AND dropped IS NULL) AS min_ns,
  (SELECT max(time_ns) FROM sample WHERE trial_id = trial.id AND dropped IS NULL) AS max_ns,
  (SELECT avg(time_ns) FROM (
    SELECT time_ns FROM sample WHERE trial_id = trial.id AND dropped IS NULL ORDER BY time_ns)) AS mean_ns
FROM trial
WHERE EXISTS (SELECT 1 FROM sample WHERE trial_id = trial.id AND dropped IS NULL);
