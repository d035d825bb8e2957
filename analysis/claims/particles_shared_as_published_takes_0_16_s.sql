-- claim: The edition with shared memory takes 0.16 s, as published.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 1000 steps, blocks of 128
-- confirmed if: shared_as_published is correct and takes that within 20 %, refuted if it is not or ends with a wrong
--   result or a crash (experiment particles/editions)
SELECT device, CASE WHEN outcome = 'correct' AND median_us BETWEEN 0.8 * 160000 AND 1.2 * 160000 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%s: %s', outcome, coalesce(detail, 'verified like the other editions')) AS evidence,
  'Every thread writes through a shared pointer that nobody has set: whatever the occupancy, a time of this kernel is '
    || 'not one of the simulation.' AS explanation
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'shared_as_published'
  AND outcome IN ('correct', 'wrong_result', 'illegal_access', 'crashed');
