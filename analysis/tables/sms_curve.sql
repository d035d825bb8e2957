-- title: Time against the multiprocessors that a plan may use: speed-up, efficiency, and what the time follows (docs/waves.md)
-- parameters: :experiment, :system, :device, :configuration (its name)
-- empty: there are no curves of time against SMs; 'tailwave curve SPEC --sms' makes them
WITH
  latest AS (
    SELECT sm_curve.*, device.name AS device, device.kind, configuration.name AS configuration,
      row_number() OVER (PARTITION BY device_id, configuration_id ORDER BY measured_at DESC, sm_curve.id DESC) AS age
    FROM sm_curve JOIN device ON device.id = device_id JOIN configuration ON configuration.id = configuration_id
    WHERE (:experiment IS NULL AND instr(sm_curve.experiment, '@') = 0 OR :experiment IN (sm_curve.experiment, sm_curve.system || '/' || sm_curve.experiment))
      AND (:system IS NULL OR :system = sm_curve.system) AND (:device IS NULL OR :device IN (device.name, device.kind))
      AND (:configuration IS NULL OR :configuration = configuration.name))
SELECT latest.system || '/' || latest.experiment AS experiment, device, kind, configuration, kernel, grid, blocks_per_sm,
  nullif(sms_asked, 0) AS sms_asked, sm_point.sms, samples, median_ns / 1000 AS median_us, speedup, efficiency, gain,
  waves, waves_begun, follows, saturated
FROM latest JOIN sm_point ON curve_id = latest.id
WHERE age = 1
ORDER BY latest.system, latest.experiment, kind DESC, device, configuration, sm_point.sms, sms_asked = 0, sms_asked;
