-- claim: With the halves of the array exchanged a run ends elsewhere, since numbers are double.
-- system: particles
-- source: Particle simulation, first edition for the CPU, n = 1000, 1000 steps
-- place: running on the CPU, first edition: the text above the listing that exchanges the halves
-- holds if: serial_halves, which runs both, finds a particle that is elsewhere (experiment
--   particles/order_of_additions)
WITH found AS (
  SELECT device, problem ->> 'STEPS' AS steps, n, max(error) AS differing
  FROM gpu_trial JOIN verification USING (trial_id)
  WHERE system = 'particles' AND experiment = 'order_of_additions' AND variant = 'serial_halves' AND n = 1000
    AND buffer = 'differing' AND other_problem IS NULL AND outcome IN ('correct', 'wrong_result')
  GROUP BY device, steps)
SELECT device, max(differing) > 0 AS holds,
  group_concat(printf('After %d steps %d of %d particles are elsewhere.', steps, differing, n), ' ') AS evidence,
  'All that differs is the order in which a particle''s forces are added up: it shows where three meet, and spreads '
    || 'from there, whatever the waves.' AS explanation,
  (0.1 + 0.2) + 0.3 <> 0.1 + (0.2 + 0.3) AS holds_there,
  'It reports so of its own run, and sums of doubles do depend on their order: 0.1 + 0.2 + '
    || '0.3 is not 0.1 + (0.2 + 0.3).' AS there
FROM found GROUP BY device HAVING max(steps) >= 1000;
