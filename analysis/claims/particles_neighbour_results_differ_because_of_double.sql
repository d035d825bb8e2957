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
  printf('%d of %d kinds of lists give the same bits as all pairs; of the others %d overflow.',
    sum(outcome = 'correct'), count(*), sum(outcome <> 'correct' AND overflows)) AS evidence,
  printf('Forces are rounded here so that the order of additions shows in no bit; what differs is a list that is full '
    || 'or too old, whatever the waves: the narrowest correct one at REBUILD 5 reaches %s cutoffs, at 20 %s.',
    coalesce(min(radius) FILTER (WHERE outcome = 'correct' AND rebuild = 5), 'none'),
    coalesce(min(radius) FILTER (WHERE outcome = 'correct' AND rebuild = 20), 'none')) AS explanation
FROM lists GROUP BY device HAVING count(*) >= 2;
