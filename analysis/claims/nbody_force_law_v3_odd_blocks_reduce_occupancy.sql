-- claim: In v3 a block size that is no power of two reduces the occupancy.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: a rule, without a figure
-- place: Nbody kernel v3, the paragraph, second reason why smaller blocks are slower
-- derived: block sizes 320 and 640, which divide 20480 and are multiples of a warp
-- holds if: v3_repaired has less occupancy with blocks of 320 and of 640 than with 1024 (experiment
--   nbody_force_law/odd_blocks)
WITH sizes AS (
  SELECT device, max(occupancy) FILTER (WHERE block_size IN (320, 640)) AS odd,
    max(occupancy) FILTER (WHERE block_size = 1024) AS largest, count(DISTINCT block_size) AS sizes,
    group_concat(printf('%d: %d %% with %d registers', block_size, round(100 * occupancy), registers), ', ') AS each,
    max(limiter) FILTER (WHERE block_size = 1024) AS limiter
  FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment = 'odd_blocks' AND variant = 'v3_repaired' AND n = 20480
    AND block_size IN (320, 640, 1024) AND occupancy IS NOT NULL
  GROUP BY device)
SELECT device, odd < largest AS holds, printf('Occupancy by block size: %s.', each) AS evidence,
  printf('Blocks of 1024 are limited by %s; what a size leaves of an SM decides, and that need not be least with a '
    || 'power of two.', limiter) AS explanation,
  640 * gpu_blocks_per_sm('gtx1060', 640, 32, 10240) < 2048 AND 320 * gpu_blocks_per_sm('gtx1060', 320, 32, 5120) < 2048
    AND 1024 * gpu_blocks_per_sm('gtx1060', 1024, 32, 16384) = 2048 AS holds_there,
  printf('Planned for a GTX 1060 with 32 registers, the most that its 100 %% allows: of 2048 threads an SM holds %d '
    || 'with blocks of 320, %d with 640 and %d with 1024.', 320 * gpu_blocks_per_sm('gtx1060', 320, 32, 5120),
    640 * gpu_blocks_per_sm('gtx1060', 640, 32, 10240), 1024 * gpu_blocks_per_sm('gtx1060', 1024, 32, 16384)) AS there
FROM sizes WHERE sizes = 3;
