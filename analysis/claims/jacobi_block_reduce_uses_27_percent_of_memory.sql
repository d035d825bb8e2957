-- claim: With the block reduction, 26.5 % of the memory's throughput is used.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, profiler: memory 26.50 %
-- place: TODO
-- holds if: 8 bytes a point over the time of block_reduce are 26.5 % of the GPU's bandwidth by its data sheet, within
--   20 % of that (experiment jacobi/reduction_cold, N = 1048576)
WITH ways AS (
  SELECT device, n, max(bandwidth_gb_per_s) AS peak, max(median_us) FILTER (WHERE variant = 'atomic') AS atomic_us,
    max(median_us) FILTER (WHERE variant = 'block_reduce') AS block_us,
    max(grid) FILTER (WHERE variant = 'block_reduce') AS blocks,
    max(waves) FILTER (WHERE variant = 'block_reduce') AS waves
  FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'reduction_cold' AND n = 1048576 AND block_size = 256
  GROUP BY device)
SELECT device,
  (abs(8.0 * n / block_us / 1e3 / peak / 0.265 - 1) <= 0.2) AS holds,
  printf('8 bytes a point in %.2f us are %.0f GB/s: %.1f %% of %.0f GB/s.', block_us, 8.0 * n / block_us / 1e3,
    0.8 * n / block_us / peak, peak) AS evidence,
  printf('%d additions to one address, %.2f ns each by atomic, take %.1f us whatever the memory does; at the peak the '
    || '%.2f waves would move their points in %.1f us.', blocks, 1000 * atomic_us / n, blocks * atomic_us / n, waves,
    8.0 * n / peak / 1e3) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM ways WHERE block_us IS NOT NULL AND atomic_us IS NOT NULL AND peak > 0 AND waves IS NOT NULL;
