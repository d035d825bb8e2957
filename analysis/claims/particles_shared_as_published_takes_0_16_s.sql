-- claim: The edition with shared memory takes 0.16 s, as published.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 1000 steps, blocks of 128
-- confirmed if: shared_as_published is correct (experiment particles/editions); refuted if it ends as anything else
SELECT device, CASE WHEN outcome = 'correct' THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%s: %s', outcome, coalesce(detail, 'verified like the other editions')) AS evidence,
  'Every thread writes through a shared pointer that nobody has set: whatever the occupancy, a time of this kernel is '
    || 'not one of the simulation.' AS explanation
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'shared_as_published';
