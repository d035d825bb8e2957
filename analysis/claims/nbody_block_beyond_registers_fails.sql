-- claim: A kernel is not started when the threads of one block need more registers than an SM has.
-- system: nbody
-- source: N-body on A100: a rule, without a figure
-- place: observation 4 on the block size of nbody_parallel.cu, second point, and the notes on unrolling
-- holds if: every block that does not fit an SM for its registers ends as exceeds_device_limit or launch_failed
--   (nbody_parallel with up to 1024 threads, experiment nbody/basic_block_size)
WITH blocks AS (
  SELECT device, max(registers * block_size) AS needed, count(*) FILTER (WHERE too_large) AS too_large,
    min(outcome IN ('exceeds_device_limit', 'launch_failed')) FILTER (WHERE too_large) AS failed,
    group_concat(printf('%d threads of %d registers: %s', block_size, registers, outcome), '; ')
      FILTER (WHERE too_large) AS outcomes
  FROM (
    SELECT *, blocks_per_sm = 0 AND limiter LIKE '%registers%' AS too_large FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
      AND block_size <= 1024)
  GROUP BY device)
SELECT device, failed AS holds,
  CASE WHEN too_large > 0 THEN outcomes || '.'
    ELSE printf('No block comes near: the largest needs %d registers, and all fit an SM.', needed) END AS evidence,
  'Registers are given to whole blocks when they start, 65536 to an SM of most GPUs.' AS explanation,
  gpu_blocks_per_sm('a100', 1024, 64, 0) > 0 AND gpu_blocks_per_sm('a100', 1024, 72, 0) = 0 AS holds_there,
  printf('Blocks of 1024 threads that fit an SM of an A100, by its limits: %d with 64 registers a thread, %d with 72.',
    gpu_blocks_per_sm('a100', 1024, 64, 0), gpu_blocks_per_sm('a100', 1024, 72, 0)) AS there
FROM blocks WHERE needed IS NOT NULL;
