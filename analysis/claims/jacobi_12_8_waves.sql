-- claim: 1048576 points are 12.80 waves.
-- system: jacobi
-- source: Jacobi on V100, blocks of 256, profiler: 4096 blocks on 80 SMs x 4 blocks
-- place: TODO
-- holds if: the main kernels of atomic and block_reduce have 12.8 waves at N = 1048576 (experiment jacobi/reduction)
SELECT device, (min(waves) BETWEEN 12.75 AND 12.85 AND max(waves) BETWEEN 12.75 AND 12.85) AS holds,
  printf('%.2f and %.2f waves of %d blocks.', max(waves) FILTER (WHERE variant = 'atomic'),
    max(waves) FILTER (WHERE variant = 'block_reduce'), max(grid)) AS evidence,
  printf('%d SMs hold %d blocks each, limited by %s; V100 has 80 and the study''s kernels fit 4.', sms,
    max(blocks_per_sm),
    max(limiter)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM gpu_trial
WHERE system = 'jacobi' AND experiment = 'reduction' AND variant IN ('atomic', 'block_reduce') AND n = 1048576
  AND block_size = 256 AND waves IS NOT NULL
GROUP BY device HAVING count(DISTINCT variant) = 2;
