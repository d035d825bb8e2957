-- claim: With MAX_DISTANCE 20, lists need room for 200 particles.
-- system: particles
-- source: Particle simulation, first edition for the CPU, n = 1000; its fifth edition for the GPU has the same names
-- place: running on the CPU, first edition: the last paragraph, on how to set both
-- derived: that 50 places, which it tried too, must then be too few
-- holds if: serial_lists with MAX_DISTANCE 20 gives every bit of all pairs with DENS 200 and not with 50, at REBUILD 2
--   (experiment particles/neighbour_list)
WITH lists AS (
  SELECT device, max(outcome) FILTER (WHERE variant = 'serial_lists' AND dens = 200) AS long,
    max(outcome) FILTER (WHERE variant = 'serial_lists' AND dens = 50) AS short,
    max(outcome) FILTER (WHERE variant = 'lists_as_published' AND dens = 200) AS gpu
  FROM (SELECT *, parameters ->> 'DENS' AS dens FROM gpu_trial
        WHERE system = 'particles' AND experiment = 'neighbour_list' AND n = 1000
          AND variant IN ('serial_lists', 'lists_as_published') AND parameters ->> 'MAX_DISTANCE' = 20
          AND parameters ->> 'REBUILD' = 2 AND outcome IN ('correct', 'wrong_result'))
  GROUP BY device)
SELECT device, long = 'correct' AND short <> 'correct' AS holds,
  printf('On one core lists of 200 end as %s and of 50 as %s; on the GPU, where the distance is squared as well, '
    || 'lists of 200 %s.', long, short, coalesce('end as ' || gpu, 'were not tried')) AS evidence,
  'On one core, as printed, 20 multiplies the squared cutoff: those within 4.5 cutoffs, 13 on average by area. On '
    || 'the GPU it is 20 cutoffs: 251 by area, less at the walls.' AS explanation,
  3.1416 * 20 * 0.2 > 50 AS holds_there,
  printf('By arithmetic, with 0.2 particles a squared cutoff: %d within 4.5 cutoffs as printed for one core, %d '
    || 'within the 20 of its fifth edition. 200 fits neither.', round(3.1416 * 20 * 0.2),
    round(3.1416 * 400 * 0.2)) AS there
FROM lists WHERE long IS NOT NULL AND short IS NOT NULL;
