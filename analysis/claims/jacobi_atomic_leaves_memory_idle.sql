-- claim: With atomics the occupancy is reasonable, 39.56 %, and yet the memory is far from its peak, at 1.06 %.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, profiler: achieved occupancy and Memory [%]
-- place: section 5.2, the sentence below the profile
-- derived: that Memory [%] is the higher of the shares of L2 and DRAM, as it is in the study's tables
-- holds if: in atomic at N = 1048576 the achieved occupancy is at least 31.6 % and the higher of the shares of L2 and
--   DRAM at most 1.27 % (views counter_launch and counter_speed_of_light, of the configurations of jacobi/reduction, by
--   'tailwave counters' or Nsight Compute)
WITH counters AS (
  SELECT gpu_trial.device, waves, gpu_trial.occupancy AS possible, counter_launch.occupancy AS achieved,
    max(share) AS memory, max(share) FILTER (WHERE unit = 'dram') AS dram
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
    JOIN counter_speed_of_light AS light ON light.counter_run_id = counter_launch.counter_run_id
      AND light.position = counter_launch.position AND light.doubt IS NULL
  WHERE gpu_trial.system = 'jacobi' AND gpu_trial.experiment IN ('reduction', 'reduction_cold')
    AND gpu_trial.variant = 'atomic' AND n = 1048576 AND block_size = 256 AND unit IN ('l2', 'dram')
  GROUP BY gpu_trial.trial_id HAVING count(DISTINCT unit) = 2)
SELECT device, max(achieved) >= 0.8 * 0.3956 AND max(memory) <= 1.2 * 0.0106 AS holds,
  printf('Occupancy %.1f %%, memory %.2f %%, DRAM %.2f %%.', 100 * max(achieved), 100 * max(memory),
    100 * max(dram)) AS evidence,
  printf('At %.2f waves and a possible occupancy of %d %% there are threads enough to keep the memory busy, if they '
    || 'do not wait for their turn at one address.', max(waves), round(100 * max(possible))) AS explanation,
  25.32 / 64 >= 0.8 * 0.3956 AND 8.0 * 1048576 / 2.52e6 / gpu_bandwidth('v100') <= 0.0106 AS holds_there,
  printf('25.32 of 64 warps are resident; 8 bytes a point in 2.52 ms are %.2f %% of 900 GB/s, its profiler has 0.24 %% '
    || 'for DRAM and 1.06 %% for memory.', 800.0 * 1048576 / 2.52e6 / gpu_bandwidth('v100')) AS there
FROM counters WHERE achieved IS NOT NULL GROUP BY device;
