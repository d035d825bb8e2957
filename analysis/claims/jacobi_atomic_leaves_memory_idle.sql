-- claim: With one atomic addition a point, hardly 1 % of the memory's throughput is used.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points, profiler: memory 1.06 %, DRAM 0.24 %
-- place: TODO
-- holds if: 8 bytes a point over the time of atomic are at most 1.3 % of the GPU's bandwidth by its data sheet
--   (experiment jacobi/reduction_cold, N = 1048576)
SELECT device,
  (8.0 * n / median_us / 1e3 / bandwidth_gb_per_s <= 0.013) AS holds,
  printf('8 bytes a point in %.0f us are %.1f GB/s: %.2f %% of %.0f GB/s.', median_us, 8.0 * n / median_us / 1e3,
    0.8 * n / median_us / bandwidth_gb_per_s, bandwidth_gb_per_s) AS evidence,
  printf('At %.2f waves and %.0f %% occupancy there are threads enough; each waits for its turn at one address, %.2f '
    || 'ns apart.', waves, 100 * occupancy, 1000 * median_us / n) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM gpu_trial
WHERE system = 'jacobi' AND experiment = 'reduction_cold' AND variant = 'atomic' AND n = 1048576 AND block_size = 256
  AND median_us IS NOT NULL AND bandwidth_gb_per_s > 0 AND waves IS NOT NULL;
