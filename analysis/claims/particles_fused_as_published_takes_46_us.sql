-- claim: All 1000 steps in one kernel with only __syncthreads take 4.6e-5 s, as published.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 1000 steps, blocks of 128
-- confirmed if: fused_as_published is correct (experiment particles/editions); refuted if it ends as anything else
SELECT device, CASE WHEN outcome = 'correct' THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%s: %s', outcome, coalesce(detail, 'verified like the other editions')) AS evidence,
  printf('__syncthreads waits for one block only; without a barrier of the grid the others%s read positions of other '
    || 'steps.',
    CASE WHEN waves IS NULL THEN '' ELSE printf(', %d of %d, all in %.3f waves,', grid - 1, grid, waves) END)
    AS explanation
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'fused_as_published';
