-- claim: So many threads add atomically to one variable that the additions come one after the other and cost much time.
-- system: jacobi
-- source: Jacobi on V100: 1048576 threads add to one float in 2.52 ms; memory 1.06 %, SM 0.48 %
-- place: section 5.1, and the conclusion after the profile in section 5.2
-- derived: how it shows: a time for each point that neither waves nor blocks change, far above what the memory takes
-- holds if: the time of atomic over N is the same within 2 % at all N from 262144 on (experiment jacobi/scaling) and at
--   all block sizes (jacobi/block_size), and at least twice that of 8 bytes a point at the bandwidth by the data sheet
WITH
  scaling AS (
    SELECT device, max(bandwidth_gb_per_s) AS bandwidth, min(1000.0 * median_us / n) AS low_ns,
      max(1000.0 * median_us / n) AS high_ns, min(n) AS first_n, max(n) AS last_n, min(waves) AS few_waves,
      max(waves) AS many_waves, count(median_us) AS timed
    FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'scaling' AND variant = 'atomic'
      AND n >= 262144 GROUP BY device),
  sizes AS (
    SELECT device, min(1000.0 * median_us / n) AS low_ns, max(1000.0 * median_us / n) AS high_ns,
      count(median_us) AS timed
    FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'block_size' AND variant = 'atomic' AND n = 4194304
    GROUP BY device)
SELECT scaling.device, max(scaling.high_ns, sizes.high_ns) <= 1.02 * min(scaling.low_ns, sizes.low_ns)
    AND min(scaling.low_ns, sizes.low_ns) >= 16.0 / bandwidth AS holds,
  printf('%.3f to %.3f ns a point from N = %d to %d, and %.3f to %.3f at %d block sizes; the memory alone would take '
    || '%.4f ns.', scaling.low_ns, scaling.high_ns, first_n, last_n, sizes.low_ns, sizes.high_ns, sizes.timed,
    8.0 / bandwidth) AS evidence,
  CASE WHEN min(scaling.low_ns, sizes.low_ns) < 16.0 / bandwidth
    THEN printf('Up to %d waves a point takes hardly more than the memory does.', round(many_waves))
    WHEN max(scaling.high_ns, sizes.high_ns) <= 1.02 * min(scaling.low_ns, sizes.low_ns)
    THEN printf('From %.2f to %d waves the time of a point stays: not the SMs set the pace, but the one place that '
      || 'adds.', few_waves, round(many_waves))
    ELSE printf('Between %.2f and %d waves the time of a point changes: additions are not all that it waits for.',
      few_waves, round(many_waves)) END AS explanation,
  2520e3 / 1048576 >= 16.0 / gpu_bandwidth('v100') AND 4096 * 2520.0 / 1048576 <= 25.15 AS holds_there,
  printf('2.52 ms are %.2f ns a point, where 900 GB/s take %.4f; at that pace the 4096 additions with CUB are %.1f of '
    || 'its 25.15 us.', 2520e3 / 1048576, 8.0 / gpu_bandwidth('v100'), 4096 * 2520.0 / 1048576) AS there
FROM scaling JOIN sizes USING (device)
WHERE scaling.timed >= 2 AND sizes.timed >= 2 AND many_waves IS NOT NULL AND bandwidth > 0;
