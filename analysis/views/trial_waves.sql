-- The main launch of each trial with its resources, occupancy and waves: the first launch, unless another has at
-- least twice its warps. occupancy_device is what blocks_per_sm, occupancy and waves were computed for.
CREATE VIEW trial_waves AS
WITH
  sized AS (
    SELECT *, grid_x * grid_y * grid_z AS grid, block_x * block_y * block_z AS block,
      count * grid_x * grid_y * grid_z * ((block_x * block_y * block_z + 31) / 32) AS warps
    FROM launch WHERE registers IS NOT NULL OR waves IS NOT NULL OR driver_blocks_per_sm IS NOT NULL),
  ranked AS (
    SELECT *, row_number() OVER (PARTITION BY trial_id ORDER BY CASE WHEN warps >= 2 * first_warps THEN warps END
                                   DESC NULLS LAST, position) AS rank
    FROM (SELECT *, first_value(warps) OVER (PARTITION BY trial_id ORDER BY position) AS first_warps FROM sized))
SELECT trial_id, device.name AS device, device.kind, kernel, grid, block, dynamic_shared_bytes, registers,
  spill_bytes, static_shared_bytes, occupancy_device, blocks_per_sm, driver_blocks_per_sm, limiter, occupancy, waves,
  full_waves, tail_fraction, quantisation_efficiency, active_sms
FROM ranked
  JOIN trial ON trial.id = ranked.trial_id
  JOIN device ON device.id = trial.device_id
WHERE rank = 1;
