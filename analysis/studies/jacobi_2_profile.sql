-- table: The profile: speed of light, launch and occupancy
-- system: jacobi
-- place: both outputs of ncu, sections 5.2 and 5.5: a GPU's 1048576 points, blocks of 256
-- note: The text profiles kernels that call NVSHMEM, with 62 registers; ours run on one GPU. Counted by CUPTI, with caches as the
--   execution before left them.
WITH
  counted AS (
    SELECT variant, cycles, duration_ns, sm_clock_mhz, occupancy, counter_run_id, position
    FROM counter_launch
    WHERE device = :device AND system = 'jacobi' AND experiment = 'reduction' AND problem ->> 'N' = 1048576
      AND variant IN ('atomic', 'cub_block_reduce') AND block = 256),
  used AS (
    SELECT variant, unit, 100 * max(share) AS percent
    FROM counted JOIN counter_speed_of_light USING (counter_run_id, position) GROUP BY variant, unit),
  planned AS (
    SELECT variant, max(registers) AS registers, max(shared_bytes) AS shared, max(waves) AS waves,
      max(blocks_per_sm) AS blocks, max(occupancy) AS possible
    FROM gpu_trial WHERE device = :device AND system = 'jacobi' AND experiment = 'reduction' AND n = 1048576
    GROUP BY variant),
  rows (place, metric, atomic, cub, here_atomic, here_cub) AS (
    VALUES
      (1, 'SM frequency, MHz', 1310, 1170,
        (SELECT round(sm_clock_mhz) FROM counted WHERE variant = 'atomic'),
        (SELECT round(sm_clock_mhz) FROM counted WHERE variant = 'cub_block_reduce')),
      (2, 'elapsed cycles', 3305314, 29534, (SELECT cycles FROM counted WHERE variant = 'atomic'),
        (SELECT cycles FROM counted WHERE variant = 'cub_block_reduce')),
      (3, 'duration, us', 2520, 25.15, (SELECT round(duration_ns / 1e3, 2) FROM counted WHERE variant = 'atomic'),
        (SELECT round(duration_ns / 1e3, 2) FROM counted WHERE variant = 'cub_block_reduce')),
      (4, 'memory, %', 1.06, 26.50,
        (SELECT round(max(percent), 2) FROM used WHERE variant = 'atomic' AND unit IN ('l2', 'dram')),
        (SELECT round(max(percent), 2) FROM used WHERE variant = 'cub_block_reduce' AND unit IN ('l2', 'dram'))),
      (5, 'SOL DRAM, %', 0.24, 26.50, (SELECT round(percent, 2) FROM used WHERE variant = 'atomic' AND unit = 'dram'),
        (SELECT round(percent, 2) FROM used WHERE variant = 'cub_block_reduce' AND unit = 'dram')),
      (6, 'SOL L2 cache, %', 1.06, 15.39, (SELECT round(percent, 2) FROM used WHERE variant = 'atomic' AND unit = 'l2'),
        (SELECT round(percent, 2) FROM used WHERE variant = 'cub_block_reduce' AND unit = 'l2')),
      (7, 'SOL L1/TEX cache, %', 0.93, 31.73, (SELECT round(percent, 2) FROM used WHERE variant = 'atomic' AND unit = 'l1'),
        (SELECT round(percent, 2) FROM used WHERE variant = 'cub_block_reduce' AND unit = 'l1')),
      (8, 'SM, %', 0.48, 31.95,
        (SELECT round(max(percent), 2) FROM used WHERE variant = 'atomic' AND unit NOT IN ('l1', 'l2', 'dram')),
        (SELECT round(max(percent), 2) FROM used WHERE variant = 'cub_block_reduce' AND unit NOT IN ('l1', 'l2', 'dram'))),
      (9, 'grid size', 4096, 4096, 4096, 4096),
      (10, 'registers per thread', 62, 62, (SELECT registers FROM planned WHERE variant = 'atomic'),
        (SELECT registers FROM planned WHERE variant = 'cub_block_reduce')),
      (11, 'static shared memory per block, B', 0, 44, (SELECT shared FROM planned WHERE variant = 'atomic'),
        (SELECT shared FROM planned WHERE variant = 'cub_block_reduce')),
      (12, 'waves per SM', 12.80, 12.80, (SELECT round(waves, 2) FROM planned WHERE variant = 'atomic'),
        (SELECT round(waves, 2) FROM planned WHERE variant = 'cub_block_reduce')),
      (13, 'theoretical occupancy, %', 50, 50, (SELECT 100 * possible FROM planned WHERE variant = 'atomic'),
        (SELECT 100 * possible FROM planned WHERE variant = 'cub_block_reduce')),
      (14, 'achieved occupancy, %', 39.56, 41.47,
        (SELECT round(100 * occupancy, 2) FROM counted WHERE variant = 'atomic'),
        (SELECT round(100 * occupancy, 2) FROM counted WHERE variant = 'cub_block_reduce')),
      (15, 'achieved active warps per SM', 25.32, 26.54,
        (SELECT round(64 * occupancy, 2) FROM counted WHERE variant = 'atomic'),
        (SELECT round(64 * occupancy, 2) FROM counted WHERE variant = 'cub_block_reduce')))
SELECT metric, atomic AS "atomicAdd, published", here_atomic AS "atomicAdd, here", cub AS "CUB, published",
  here_cub AS "CUB, here"
FROM rows ORDER BY place;
