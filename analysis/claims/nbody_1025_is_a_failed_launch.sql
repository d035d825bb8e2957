-- claim: Block size 1025 is printed as by far the fastest only because its launch fails and nothing is computed.
-- system: nbody
-- source: N-body on A100, N = 4096: 784e9 interactions/s, timed without a look at the launch's error
-- place: observation 5 on the block size of nbody_parallel.cu
-- holds if: BLOCK_SIZE 1025 ends as exceeds_device_limit or launch_failed (nbody_parallel, experiment
--   nbody/basic_block_size)
WITH best AS (
  SELECT device, max(value) AS value FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  GROUP BY device)
SELECT device,
  (outcome IN ('exceeds_device_limit', 'launch_failed')) AS holds,
  printf('%s: %s', outcome, coalesce(detail, 'timed as a correct result')) AS evidence,
  printf('784e9 a second is N * N over the time of a launch that runs no block; the best block size that runs reaches '
    || '%.1fe9.', best.value / 1e9) AS explanation,
  gpu_blocks_per_sm('a100', 1025, 32, 0) = 0 AS holds_there,
  'An A100 starts no block of more than 1024 threads, and the study found the launch refused as an invalid '
    || 'configuration.' AS there
FROM gpu_trial JOIN best USING (device)
WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  AND block_size = 1025 AND best.value IS NOT NULL;
