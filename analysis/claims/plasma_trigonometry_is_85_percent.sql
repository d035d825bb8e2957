-- claim: 85 % of the run time is trigonometry.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes: profile of the program with sin and cos apart
-- place: TODO
-- holds if: angle addition (TRIG rotation), which calls sine and cosine once for a run of modes, takes at least 68 %
--   less than double_sin_cos in the same kernels (experiment plasma/variants, modes_and_ions); a smaller saving is a lower
--   bound, which refutes nothing
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE trig = 'double_sin_cos') AS base_us,
    max(median_us) FILTER (WHERE trig = 'rotation') AS ours_us,
    max(waves) FILTER (WHERE trig = 'double_sin_cos') AS base_waves,
    max(waves) FILTER (WHERE trig = 'rotation') AS waves,
    max(occupancy) FILTER (WHERE trig = 'double_sin_cos') AS base_occupancy,
    max(occupancy) FILTER (WHERE trig = 'rotation') AS occupancy
  FROM (SELECT *, parameters ->> 'TRIG' AS trig FROM gpu_trial
        WHERE system = 'plasma' AND experiment = 'variants' AND variant = 'modes_and_ions'
          AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, CASE WHEN 1 - ours_us / base_us >= 0.68 THEN 1 END AS holds,
  printf('A step takes %.0f us with sin and cos apart and %.0f us by angle addition: %.1f %% less.', base_us, ours_us,
    100 * (1 - ours_us / base_us)) AS evidence,
  printf('What is saved is a lower bound of the share, since angle addition has its own arithmetic; the density '
    || 'kernel has %.2f and %.2f waves at %.0f and %.0f %% occupancy.', base_waves, waves, 100 * base_occupancy,
    100 * occupancy) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM ways WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND waves IS NOT NULL;
