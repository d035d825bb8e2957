-- claim: All 1000 steps in one kernel with only __syncthreads take 4.6e-5 s, as published.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 1000 steps, blocks of 128
-- confirmed if: fused_as_published is correct and takes that within 20 %, refuted if it is not or ends with a wrong
--   result or a crash (experiment particles/editions)
SELECT device, CASE WHEN outcome = 'correct' AND median_us BETWEEN 0.8 * 46 AND 1.2 * 46 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%s: %s', outcome, coalesce(detail, 'verified like the other editions')) AS evidence,
  printf('__syncthreads waits for one block only; without a barrier of the grid the others%s read positions of other '
    || 'steps.',
    CASE WHEN waves IS NULL THEN '' ELSE printf(', %d of %d, all in %.3f waves,', grid - 1, grid, waves) END)
    AS explanation
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'fused_as_published'
  AND outcome IN ('correct', 'wrong_result', 'illegal_access', 'crashed');
