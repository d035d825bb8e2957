-- The time of each curve's plan on each number of multiprocessors, medians as in trial_time; the device as a whole comes
-- last of equal numbers. speedup: over the fewest; efficiency: speedup over the ratio of the numbers; gain: over the next
-- fewer. waves, waves_begun: of the main launch, and rounded up. saturated: no larger number gains 5 % or more; NULL of the
-- largest. follows: what the time is in proportion to, within 5 % and from the fewest on: 'SMs', 'waves' (begun), or
-- else 'saturated', of the largest where it gains less than 5 %.
CREATE VIEW sm_point AS
WITH
  ordered AS (
    SELECT curve_id, sms_asked, sms, cluster_slots, time_ns,
      row_number() OVER (PARTITION BY curve_id, sms_asked ORDER BY time_ns) - 1 AS place,
      count(*) OVER (PARTITION BY curve_id, sms_asked) - 1 AS last
    FROM sm_sample),
  timed AS (
    SELECT curve_id, sms_asked, max(sms) AS sms, max(cluster_slots) AS cluster_slots, count(*) AS samples,
      sum(time_ns * max(0, 1 - abs(place - 0.5 * last))) AS median_ns
    FROM ordered GROUP BY curve_id, sms_asked),
  waved AS (
    SELECT *, 1.0 * grid / slots AS waves, (grid + slots - 1) / slots AS waves_begun
    FROM (SELECT timed.*, grid, coalesce(cluster_slots, sms * blocks_per_sm) AS slots
          FROM timed JOIN sm_curve ON sm_curve.id = curve_id WHERE median_ns > 0)),
  compared AS (
    SELECT *, first_value(median_ns) OVER upwards AS first_ns, first_value(sms) OVER upwards AS first_sms,
      first_value(waves_begun) OVER upwards AS first_waves, lag(median_ns) OVER upwards AS before_ns,
      min(median_ns) OVER (upwards ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS best_later_ns
    FROM waved
    WINDOW upwards AS (PARTITION BY curve_id ORDER BY sms, sms_asked = 0, sms_asked)),
  related AS (
    SELECT *, first_ns / median_ns AS speedup, first_ns * first_sms / (median_ns * sms) AS efficiency,
      median_ns * first_waves / (first_ns * waves_begun) AS of_waves, median_ns <= 1.05 * best_later_ns AS saturated
    FROM compared)
SELECT curve_id, sms_asked, sms, samples, median_ns, waves, waves_begun, speedup, efficiency, before_ns / median_ns AS gain,
  saturated,
  CASE WHEN before_ns IS NULL THEN NULL WHEN efficiency BETWEEN 0.95 AND 1.05 THEN 'SMs'
    WHEN of_waves BETWEEN 0.95 AND 1.05 THEN 'waves'
    WHEN coalesce(saturated, before_ns / median_ns < 1.05) THEN 'saturated' END AS follows
FROM related;
