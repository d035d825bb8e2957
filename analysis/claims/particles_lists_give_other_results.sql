-- claim: No interval, distance or length of lists gives on one core what all pairs give, and that is because of double.
-- system: particles
-- source: Particle simulation, first edition for the CPU, n = 1000, 1000 steps
-- place: TODO
-- holds if: serial_lists with REBUILD 2, 5 and 10, MAX_DISTANCE 20 and DENS 50 gives other positions than all pairs in plain
--   double arithmetic with each of them; refuted if one gives the same bits (experiment particles/order_of_additions)
WITH tried AS (
  SELECT device, parameters ->> 'REBUILD' AS rebuild, outcome = 'correct' AS equal
  FROM gpu_trial
  WHERE system = 'particles' AND experiment = 'order_of_additions' AND variant = 'serial_lists' AND n = 1000
    AND problem ->> 'STEPS' = 1000 AND parameters ->> 'MAX_DISTANCE' = 20 AND parameters ->> 'DENS' = 50
    AND outcome IN ('correct', 'wrong_result'))
SELECT device, (sum(equal) = 0) AS holds,
  printf('Of lists made every 2, 5 and 10 steps %d end with every bit of all pairs.', sum(equal)) AS evidence,
  'A list has its particles in the order of all pairs, so their forces are added up in that order, too: what differs '
    || 'could only be one that is too short or too old, whatever the waves.' AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM tried GROUP BY device HAVING count(DISTINCT rebuild) FILTER (WHERE rebuild IN (2, 5, 10)) = 3;
