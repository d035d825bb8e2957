-- claim: Block size 1025 reaches 784e9 interactions/s only because its launch fails.
-- system: nbody
-- source: N-body on A100, N = 4096: 784e9 interactions/s, timed without a look at the launch's error
-- place: TODO
-- holds if: BLOCK_SIZE 1025 ends as exceeds_device_limit or launch_failed (experiment nbody/basic_block_size)
WITH best AS (
  SELECT device, max(value) AS value FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'basic' AND n = 4096 GROUP BY device)
SELECT device,
  (outcome IN ('exceeds_device_limit', 'launch_failed')) AS holds,
  printf('%s: %s', outcome, coalesce(detail, 'timed as a correct result')) AS evidence,
  printf('784e9 a second is N * N over the time of a launch that runs no block; the best block size that runs reaches '
    || '%.1fe9.', best.value / 1e9) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM gpu_trial JOIN best USING (device)
WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'basic' AND n = 4096 AND block_size = 1025
  AND best.value IS NOT NULL;
