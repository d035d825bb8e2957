-- claim: 20480 bodies are 100 % occupancy: as many threads as the GPU holds.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: 100 % theoretical occupancy with 20480 bodies
-- place: the introduction
-- holds if: in gpu5_repaired, v1 and v3_repaired with blocks of 1024 the occupancy is 100 % and the grid at least one
--   wave (experiment nbody_force_law/variants)
WITH variants AS (
  SELECT device, sms, min(occupancy) AS occupancy, min(waves) AS waves, max(grid) AS grid,
    max(active_sms) AS active_sms, count(*) AS variants,
    group_concat(printf('%s: %d %% occupancy with %d registers, %.2f waves', variant, round(100 * occupancy), registers,
      waves), '; ') AS each
  FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment = 'variants' AND n = 20480 AND block_size = 1024
    AND variant IN ('gpu5_repaired', 'v1', 'v3_repaired') AND NOT parameters ->> 'FAST_MATH' AND waves IS NOT NULL
  GROUP BY device)
SELECT device, occupancy >= 0.995 AND waves >= 1 AS holds, each || '.' AS evidence,
  printf('%d blocks are on %d of %d SMs: %d threads for each SM, where 10 SMs of 2048 have 20480 places.', grid,
    active_sms, sms, round(1024.0 * grid / sms)) AS explanation,
  gpu_blocks_per_sm('gtx1060', 1024, 32, 16384) = 2 AND gpu_waves('gtx1060', 20, 1024, 32, 16384) >= 1 AS holds_there,
  printf('Planned with up to 32 registers, which its 100 %% needs: 2 blocks on each of %d SMs, %.2f waves.',
    gpu_sms('gtx1060'), gpu_waves('gtx1060', 20, 1024, 32, 16384)) AS there
FROM variants WHERE variants >= 3;
