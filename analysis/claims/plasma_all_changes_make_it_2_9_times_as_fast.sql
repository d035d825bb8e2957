-- claim: All changes together take a run from 20 to 7 minutes, 2.9 times as fast.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes
-- place: TODO
-- holds if: double_sin_cos from global memory without REUSE over float from shared memory with it is 2.86 within 20 %
--   (experiment plasma/reuse, modes_and_ions)
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE trig = 'double_sin_cos' AND memory = 'global' AND NOT reuse) AS base_us,
    max(median_us) FILTER (WHERE trig = 'float' AND memory = 'shared' AND reuse) AS ours_us,
    max(median_us) FILTER (WHERE trig = 'fast' AND memory = 'shared' AND reuse) AS fast_us,
    max(waves) FILTER (WHERE trig = 'float' AND memory = 'shared' AND reuse) AS waves,
    max(occupancy) FILTER (WHERE trig = 'float' AND memory = 'shared' AND reuse) AS occupancy
  FROM (SELECT *, parameters ->> 'TRIG' AS trig, parameters ->> 'MEMORY' AS memory, parameters ->> 'REUSE' AS reuse
        FROM gpu_trial
        WHERE system = 'plasma' AND experiment = 'reuse' AND variant = 'modes_and_ions'
          AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, (abs(base_us / ours_us / 2.86 - 1) <= 0.2) AS holds,
  printf('A step takes %.0f us at first and %.0f us at last: %.2f times%s.', base_us, ours_us, base_us / ours_us,
    CASE WHEN fast_us IS NULL THEN '' ELSE printf('; with __sinf and __cosf %.2f times', base_us / fast_us) END)
      AS evidence,
  printf('The density kernel ends with %.2f waves at %.0f %% occupancy: what is gained is arithmetic a pair, and '
    || 'depends on how many float64 units an SM has beside those for float32.', waves, 100 * occupancy) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM ways WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND waves IS NOT NULL;
