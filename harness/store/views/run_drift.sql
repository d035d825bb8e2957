-- How the time of one configuration moved on a device while a run lasted: it is measured again in every block. ratio: above
-- 1, it is slower than in the trial that came first, or where that was on another device than in the first block.
CREATE VIEW run_drift AS
WITH
  blocks AS (
    SELECT run_id, device_id, configuration_id, block, count(*) AS samples,
      -- medians as in trial_time; none of no values
      sum(time_ns * max(0, 1 - abs(time_place - 0.5 * (times + 1)))) AS median_ns,
      sum(sm_clock_mhz * max(0, 1 - abs(clock_place - 0.5 * (clocks + 1)))) AS sm_clock_mhz,
      sum(temperature_c * max(0, 1 - abs(temperature_place - 0.5 * (temperatures + 1)))) AS temperature_c
    FROM (
      SELECT *, count(time_ns) OVER same AS times, count(sm_clock_mhz) OVER same AS clocks,
        count(temperature_c) OVER same AS temperatures,
        row_number() OVER (same ORDER BY time_ns) AS time_place,
        row_number() OVER (same ORDER BY sm_clock_mhz NULLS LAST) AS clock_place,
        row_number() OVER (same ORDER BY temperature_c NULLS LAST) AS temperature_place
      FROM drift_sample WINDOW same AS (PARTITION BY run_id, device_id, configuration_id, block))
    GROUP BY run_id, device_id, configuration_id, block)
SELECT blocks.run_id, run.system, run.experiment, device.name AS run_device, device.kind AS run_kind,
  own.uuid AS gpu, configuration.name AS configuration, blocks.block, blocks.samples, blocks.median_ns,
  blocks.median_ns / coalesce(trial_time.median_ns, first_value(blocks.median_ns) OVER (
    PARTITION BY blocks.run_id, blocks.device_id, blocks.configuration_id ORDER BY block)) AS ratio, blocks.sm_clock_mhz, blocks.temperature_c
FROM blocks
  JOIN run ON run.id = blocks.run_id
  JOIN device ON device.id = run.device_id
  JOIN device AS own ON own.id = blocks.device_id
  JOIN configuration ON configuration.id = blocks.configuration_id
  LEFT JOIN trial ON trial.run_id = blocks.run_id AND trial.configuration_id = blocks.configuration_id
    AND trial.device_id = blocks.device_id
  LEFT JOIN trial_time ON trial_time.trial_id = trial.id;
