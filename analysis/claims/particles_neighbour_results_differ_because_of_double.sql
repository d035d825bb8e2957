-- claim: Results with neighbour lists differ because of the rounding of double.
-- system: particles
-- source: Particle simulation, CPU and unnamed GPU, n = 1000
-- confirmed if: a list that has every pair in every step (LIST_LENGTH 32 without overflow, REBUILD 1, RADIUS 1.25, 1.5, 2 and
--   3) gives other positions than all pairs; refuted if all four give them bit by bit (experiment particles/neighbour_list)
WITH
  tried AS (
    SELECT device, variant, outcome = 'correct' AS equal, parameters ->> 'REBUILD' AS rebuild,
      parameters ->> 'RADIUS' AS radius, parameters ->> 'LIST_LENGTH' AS length,
      EXISTS (SELECT 1 FROM verification
              WHERE verification.trial_id = gpu_trial.trial_id AND buffer = 'overflow' AND NOT passed) AS overflows
    FROM gpu_trial
    WHERE system = 'particles' AND experiment = 'neighbour_list' AND n = 1000
      AND outcome IN ('correct', 'wrong_result')),
  lists AS (
    SELECT *, variant = 'neighbours' AND length = 32 AND rebuild = 1 AND radius >= 1.25 AND NOT overflows AS complete
    FROM tried),
  counts AS (
    SELECT device, sum(complete) AS complete, sum(complete AND equal) AS complete_equal,
      sum(NOT complete) AS others, sum(NOT complete AND equal) AS others_equal,
      sum(NOT complete AND NOT equal AND overflows) AS full,
      sum(NOT complete AND NOT equal AND NOT overflows AND rebuild > 1) AS stale,
      coalesce(min(radius) FILTER (WHERE equal AND rebuild = 5), 'none') AS narrowest_5,
      coalesce(min(radius) FILTER (WHERE equal AND rebuild = 20), 'none') AS narrowest_20
    FROM lists GROUP BY device
    HAVING count(DISTINCT radius) FILTER (WHERE complete AND radius IN (1.25, 1.5, 2, 3)) = 4)
SELECT device, CASE WHEN complete_equal < complete THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%d of %d lists that have every pair in every step give the same bits as all pairs. Of %d others %d do, %d '
    || 'overflow and %d are stale.', complete_equal, complete, others, others_equal, full, stale) AS evidence,
  CASE WHEN complete_equal < complete
    THEN 'These lists lack no pair, are never old and have room, whatever the waves: what differs can only be the '
      || 'arithmetic.'
    ELSE printf('Forces are rounded here so that the order of additions shows in no bit; what differs is a list that is '
      || 'full or too old, whatever the waves: the narrowest correct one at REBUILD 5 reaches %s cutoffs, at 20 %s.',
      narrowest_5, narrowest_20) END AS explanation
FROM counts;
