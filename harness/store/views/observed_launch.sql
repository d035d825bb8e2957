-- The latest trace of each configuration on each device, and its main launch (see main_launch): what a picture of a
-- trace shows. waves: blocks over slots, which are the blocks that run at once: SMs * blocks_per_sm, or of a launch of
-- clusters cluster_slots. duration_ns: from the first block's start to the last one's
-- end. all_note: whether every block of it noted when it ran.
CREATE VIEW observed_launch AS
WITH
  aged AS (
    SELECT *, row_number() OVER (PARTITION BY device_id, configuration_id ORDER BY traced_at DESC, id DESC) AS age
    FROM trace),
  sized AS (
    SELECT trace_id, position, kernel, grid_x * grid_y * grid_z AS grid, block_x * block_y * block_z AS block, sms,
      blocks_per_sm, coalesce(cluster_slots, sms * blocks_per_sm) AS slots, cluster_slots, limiter, duration_ns, noted_one_in = 1 AS all_note
    FROM trace_launch)
SELECT trace_id, position, device.name AS device, device.kind, configuration.id AS configuration_id,
  configuration.name AS configuration, configuration.system, aged.experiment, variant, parameters, problem, method,
  disturbed, kernel, grid, block, sized.sms, blocks_per_sm, slots, cluster_slots, limiter, 1.0 * grid / slots AS waves,
  duration_ns, all_note
FROM aged
  JOIN sized ON trace_id = aged.id
    AND position = (SELECT main_launch.position FROM main_launch WHERE of = 'trace' AND main_launch.id = aged.id)
  JOIN device ON device.id = aged.device_id
  JOIN configuration ON configuration.id = aged.configuration_id
WHERE age = 1;
