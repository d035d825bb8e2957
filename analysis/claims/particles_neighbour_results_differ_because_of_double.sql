-- claim: Results with neighbour lists differ because of the rounding of double.
-- system: particles
-- source: Particle simulation, CPU and unnamed GPU, n = 1000
-- confirmed if: no list gives the positions of all pairs bit by bit (experiment particles/neighbour_list); refuted if some do
--   and the others are too short, too narrow or too old
WITH lists AS (
  SELECT device, outcome, parameters ->> 'REBUILD' AS rebuild, parameters ->> 'RADIUS' AS radius,
    EXISTS (SELECT 1 FROM verification
            WHERE verification.trial_id = gpu_trial.trial_id AND buffer = 'overflow' AND NOT passed) AS overflows
  FROM gpu_trial
  WHERE system = 'particles' AND experiment = 'neighbour_list' AND outcome IN ('correct', 'wrong_result'))
SELECT device, CASE WHEN sum(outcome = 'correct') = 0 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%d of %d lists give the same bits as all pairs; of the others %d overflow.', sum(outcome = 'correct'),
    count(*), sum(outcome <> 'correct' AND overflows)) AS evidence,
  printf('A list serves until a particle from beyond its radius comes near: correct ones reach %s cutoffs at REBUILD '
    || '5 and %s at 20. Neither waves nor rounding enter.',
    coalesce(min(radius) FILTER (WHERE outcome = 'correct' AND rebuild = 5), 'no number of'),
    coalesce(min(radius) FILTER (WHERE outcome = 'correct' AND rebuild = 20), 'no number')) AS explanation
FROM lists GROUP BY device HAVING count(*) >= 2;
