-- claim: All 1000 steps in one kernel with only __syncthreads take 4.6e-5 s, as published.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 1000 steps, blocks of 128
-- place: fourth edition for the GPU, its time; comparison of all editions: row 4
-- holds if: fused_as_published is correct and takes that within 20 %; it does not where it ends with a wrong result or
--   a crash (experiment particles/editions)
SELECT device,
  outcome = 'correct' AND median_us BETWEEN 0.8 * 46 AND 1.2 * 46 AS holds,
  CASE WHEN outcome = 'correct'
    THEN printf('correct: verified like the other editions, and takes %.1f us, published 46.', median_us)
    ELSE printf('%s: %s', outcome, coalesce(detail, 'no detail')) END AS evidence,
  '__syncthreads waits for one block only, and stands at the end of a step only; '
    || CASE
      WHEN outcome = 'correct' AND grid = 1
        THEN 'yet all threads of the only block met all particles at the same step in this run. Nothing makes them.'
      WHEN outcome = 'correct' THEN printf('yet the blocks%s met all particles at the same '
        || 'step in this run. Nothing makes them.',
        CASE WHEN waves IS NULL THEN '' ELSE printf(', %d, all in %.3f waves,', grid, waves) END)
      WHEN outcome = 'wrong_result' THEN printf('without a barrier of the grid the others%s '
        || 'read positions of other steps.',
        CASE WHEN waves IS NULL THEN '' ELSE printf(', %d of %d, all in %.3f waves,', grid - 1, grid, waves) END)
      ELSE 'this kernel ended before its steps did, so it has no time at all, whatever the waves.' END AS explanation,
  4.6e-5 / 1e6 >= 1 / 3e9 AS holds_there,
  printf('By arithmetic, on any GPU: a thread meets 10^6 particles one after the other, which leaves %.3f ns for '
    || 'each, less than a cycle at 3 GHz.', 4.6e-5 / 1e6 * 1e9) AS there
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'fused_as_published'
  AND problem ->> 'STEPS' = 1000 AND block_size = 128
  AND (median_us IS NOT NULL OR outcome IN ('wrong_result', 'illegal_access', 'crashed'))
GROUP BY device;
