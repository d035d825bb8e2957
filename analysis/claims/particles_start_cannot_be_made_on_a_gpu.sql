-- claim: The start cannot be made on a GPU, for want of rand, lrand48 and drand48 there.
-- system: particles
-- source: Particle simulation, second edition, which was given up
-- place: TODO
-- holds if: init_on_gpu, which places particles by a hash of their index, is not correct; refuted if it is
--   (experiment particles/editions)
SELECT device, outcome <> 'correct' AS holds,
  printf('init_on_gpu ends as %s%s.', outcome,
    CASE WHEN median_us IS NULL THEN '' ELSE printf(' and takes %.2f ms with the start in it', median_us / 1e3) END)
    AS evidence,
  printf('A hash of the index stands for the generator and a network of permutations for the shuffled array, so that '
    || 'each particle is placed by a thread of its own, in %d blocks, %.3f waves.', grid, waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'init_on_gpu'
  AND outcome IN ('correct', 'wrong_result', 'launch_failed') AND waves IS NOT NULL
GROUP BY device;
