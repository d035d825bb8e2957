-- What was counted of a configuration at a time (counter_run), and whether it is what counts. partial: 1 where a launch of the
-- configuration's latest trial there was not counted. age: 1 for the latest counters of the configuration on a device of that
-- name that have its instructions, those of all launches first; NULL without instructions. To be asked for by configuration_id,
-- device and kind given as values: then only that configuration's are looked at.
CREATE VIEW counter_age AS
SELECT *,
  CASE WHEN counts THEN row_number() OVER (
    PARTITION BY device, kind, configuration_id, counts ORDER BY partial, counted_at DESC, id DESC)
    END AS age
FROM (
  SELECT counter_run.*, device.name AS device, device.kind, device.sms,
    EXISTS (
      SELECT 1 FROM counter_value WHERE counter_run_id = counter_run.id AND value IS NOT NULL
        AND metric IN ('smsp__inst_executed.sum', 'sm__inst_executed.sum')) AS counts,
    EXISTS (
      SELECT 1 FROM launch
      WHERE trial_id = (
          SELECT max(trial.id) FROM trial JOIN device AS own ON own.id = trial.device_id
          WHERE trial.configuration_id = counter_run.configuration_id AND outcome = 'correct'
            AND own.name = device.name AND own.kind = device.kind)
        AND NOT EXISTS (
          SELECT 1 FROM counted_launch AS counted
          WHERE counted.counter_run_id = counter_run.id AND counted.kernel = launch.kernel
            AND (counted.grid_x, counted.grid_y, counted.grid_z, counted.block_x, counted.block_y, counted.block_z)
              = (launch.grid_x, launch.grid_y, launch.grid_z, launch.block_x, launch.block_y, launch.block_z)))
      AS partial
  FROM counter_run JOIN device ON device.id = device_id);
