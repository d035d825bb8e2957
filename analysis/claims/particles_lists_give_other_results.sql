-- claim: Whatever DENS and MAX_DISTANCE, lists end elsewhere than all pairs on one core, because numbers are double.
-- system: particles
-- source: Particle simulation, first edition for the CPU, n = 1000, 1000 steps
-- place: running on the CPU, first edition: the text beside the loops that compare both, and below
-- derived: which values are tried, since it does not say; REBUILD 2, 5 and 10 are named
-- holds if: serial_lists with REBUILD 2, 5 and 10, MAX_DISTANCE 20 and DENS 50 gives other positions than all pairs in
--   plain double arithmetic with each of them (experiment particles/order_of_additions)
WITH tried AS (
  SELECT device, parameters ->> 'REBUILD' AS rebuild, outcome = 'correct' AS equal
  FROM gpu_trial
  WHERE system = 'particles' AND experiment = 'order_of_additions' AND variant = 'serial_lists' AND n = 1000
    AND problem ->> 'STEPS' = 1000 AND parameters ->> 'MAX_DISTANCE' = 20 AND parameters ->> 'DENS' = 50
    AND outcome IN ('correct', 'wrong_result'))
SELECT device, sum(equal) = 0 AS holds,
  printf('Of lists made every 2, 5 and 10 steps %d end with every bit of all pairs.', sum(equal)) AS evidence,
  'A list has its particles in the order of all pairs, so their forces are added up in that order, too: what differs '
    || 'could only be one that is too short or too old.' AS explanation,
  0 AS holds_there,
  'It reports so of its own runs, but calls DENS 50 with MAX_DISTANCE 50 right; and by its printed loop a list keeps '
    || 'the order of all pairs, so that the same forces are added up in the same '
    || 'order: double cannot be the reason.' AS there
FROM tried GROUP BY device HAVING count(DISTINCT rebuild) FILTER (WHERE rebuild IN (2, 5, 10)) = 3;
