-- claim: DENS 50 and MAX_DISTANCE 50 are right for 1000 particles.
-- system: particles
-- source: Particle simulation, first edition for the CPU, n = 1000, lists made every 10 steps
-- place: running on the CPU, first edition: the text below its first listing
-- holds if: serial_lists with DENS 50, MAX_DISTANCE 50 and REBUILD 10, as printed, gives every bit of all pairs
--   (experiment particles/neighbour_list)
SELECT device, outcome = 'correct' AS holds,
  printf('serial_lists ends as %s with them, after %d steps.%s', outcome, problem ->> 'STEPS',
    CASE WHEN detail IS NULL THEN '' ELSE ' ' || detail END) AS evidence,
  'MAX_DISTANCE multiplies the squared cutoff: lists have room for those within 7.1 cutoffs, 31 on average by area, '
    || 'and are right as long as none is full and nobody comes nearer than the cutoff '
    || 'from farther away in 10 steps.' AS explanation,
  3.1416 * 50 * 0.2 <= 50 AS holds_there,
  printf('By arithmetic: 0.2 particles a squared cutoff, so %d within 7.1 cutoffs on average, and room for 50.',
    round(3.1416 * 50 * 0.2)) AS there
FROM gpu_trial WHERE system = 'particles' AND experiment = 'neighbour_list' AND variant = 'serial_lists' AND n = 1000
  AND parameters ->> 'DENS' = 50 AND parameters ->> 'MAX_DISTANCE' = 50 AND parameters ->> 'REBUILD' = 10
  AND outcome IN ('correct', 'wrong_result')
GROUP BY device;
