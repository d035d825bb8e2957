-- Time of a plan against the multiprocessors that it may use: medians, what they would be in proportion to the SMs, and in
-- proportion to the waves that have begun, both from the fewest SMs on. The device as a whole is the ring.
WITH
  aged AS (
    SELECT sm_curve.*, configuration.name, configuration.variant,
      row_number() OVER (PARTITION BY configuration_id ORDER BY measured_at DESC, sm_curve.id DESC) AS age
    FROM sm_curve
      JOIN device ON device.id = device_id
      JOIN configuration ON configuration.id = configuration_id
    WHERE sm_curve.system = :system AND device.name = :device AND device.kind = :kind
      AND (sm_curve.experiment = :experiment OR configuration_id IN (
        SELECT configuration_id FROM current_trial
        WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind))),
  point AS MATERIALIZED (
    SELECT aged.*, sms_asked, sms, median_ns, waves_begun, saturated,
      first_value(median_ns) OVER upwards AS first_ns, first_value(sms) OVER upwards AS first_sms,
      first_value(waves_begun) OVER upwards AS first_waves
    FROM aged JOIN sm_point ON curve_id = aged.id
    WHERE age = 1
    WINDOW upwards AS (PARTITION BY curve_id ORDER BY sms, sms_asked = 0, sms_asked)),
  enough AS (SELECT id, min(sms) AS sms FROM point WHERE saturated GROUP BY id),
  rows AS (
    SELECT *, iif(sms_asked = 0, 'whole device', 'measured') AS part, median_ns AS time_ns FROM point
    UNION ALL SELECT *, 'SMs', first_ns * first_sms / sms FROM point
    UNION ALL SELECT *, 'waves', first_ns * waves_begun / first_waves FROM point)
SELECT name AS chart, 'Time against SMs on ' || :device AS title,
  printf('%s, %s: %,d block%s of %,d thread%s, %d an SM', variant, kernel, grid, iif(grid = 1, '', 's'), block_threads,
         iif(block_threads = 1, '', 's'), blocks_per_sm) || char(10) ||
    coalesce(printf('more than %d SMs gain less than 5 %%', enough.sms), 'the most SMs gain 5 % or more') AS subtitle,
  part, rows.sms, round(time_ns / 1000, 4) AS time_us
FROM rows LEFT JOIN enough USING (id)
WHERE time_ns > 0
ORDER BY name, part, rows.sms;
