-- claim: One atomic addition a point is slow because the additions to one address come one after the other.
-- system: jacobi
-- source: Jacobi on V100: both memory and SMs are idle under the profiler while atomic runs
-- place: TODO
-- holds if: the time of atomic over N is the same within 5 % at all N from 262144 on (experiment jacobi/scaling) and at
--   all block sizes (jacobi/block_size)
WITH
  scaling AS (
    SELECT device, min(1000 * median_us / n) AS low_ns, max(1000 * median_us / n) AS high_ns, min(n) AS first_n,
      max(n) AS last_n,
      min(waves) AS few_waves, max(waves) AS many_waves, count(median_us) AS timed
    FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'scaling' AND variant = 'atomic'
      AND n >= 262144 GROUP BY device),
  sizes AS (
    SELECT device, min(1000 * median_us / n) AS low_ns, max(1000 * median_us / n) AS high_ns, count(median_us) AS timed
    FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'block_size' AND variant = 'atomic' AND n = 4194304
    GROUP BY device)
SELECT scaling.device,
  (max(scaling.high_ns, sizes.high_ns) <= 1.05 * min(scaling.low_ns, sizes.low_ns)) AS holds,
  printf('%.3f to %.3f ns a point from N = %d to %d, and %.3f to %.3f at %d block sizes.', scaling.low_ns,
    scaling.high_ns, first_n, last_n, sizes.low_ns, sizes.high_ns, sizes.timed) AS evidence,
  printf('From %.2f to %.0f waves the time of a point stays: not the SMs, but the one place that adds sets the pace.',
    few_waves, many_waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM scaling JOIN sizes USING (device) WHERE scaling.timed >= 2 AND sizes.timed >= 2 AND many_waves IS NOT NULL;
