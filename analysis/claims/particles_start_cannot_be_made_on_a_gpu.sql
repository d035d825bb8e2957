-- claim: The start cannot be made on a GPU, since it uses rand and srand48.
-- system: particles
-- source: Particle simulation, second edition, which was given up
-- place: second edition for the GPU: the sentence below its listing
-- derived: that a start by other means than these functions counts
-- holds if: init_on_gpu, which places particles by a hash of their index, ends elsewhere than a start made on the host
--   (experiment particles/editions)
SELECT device, CASE outcome WHEN 'correct' THEN 0 WHEN 'wrong_result' THEN 1 END AS holds,
  printf('init_on_gpu ends as %s%s.', outcome,
    CASE WHEN median_us IS NULL THEN '' ELSE printf(' and takes %.2f ms with the start in it', median_us / 1e3) END)
    || CASE WHEN outcome IN ('correct', 'wrong_result') THEN '' ELSE ' It has to run.' END AS evidence,
  printf('A hash of the index stands for the generator and a network of permutations for the shuffled array, so that '
    || 'each particle is placed by a thread of its own%s.',
    CASE WHEN waves IS NULL THEN '' ELSE printf(', in %d blocks, %.3f waves', grid, waves) END) AS explanation,
  0 AS holds_there,
  'The two functions are of the host on any GPU, but a generator is integer arithmetic that any GPU has; what is '
    || 'printed needs another one, not a CPU.' AS there
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'init_on_gpu'
GROUP BY device;
