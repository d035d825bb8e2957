-- claim: On one core the forces take about 3 times as long as the move.
-- system: particles
-- source: Particle simulation, profile of serial.cpp by Visual Studio 2012 on one core at 2.2 GHz
-- place: running on the GPU, share of the program's parts: the report on main
-- derived: how it is told without a profile: lists, made every 5 steps, spare four fifths of the forces and no move
-- holds if: the forces take 3 times as long within 20 % as what serial_lists (REBUILD 5) does in every step, from its
--   time and that of serial; it does not where serial takes more than 4.6 times as long as all of serial_lists, which
--   moves as often (experiment particles/editions)
WITH
  steps AS (
    SELECT device, max(median_us) FILTER (WHERE variant = 'serial') AS all_us,
      max(median_us) FILTER (WHERE variant = 'serial_lists') AS list_us
    FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND ran_on = 'cpu'
      AND (variant = 'serial' OR variant = 'serial_lists' AND parameters ->> 'REBUILD' = 5)
    GROUP BY device),
  -- all = forces + rest, with lists = forces / 5 + rest
  parts AS (SELECT *, (list_us - all_us / 5) / 0.8 AS rest_us, all_us / list_us - 1 AS least FROM steps),
  ratios AS (SELECT *, (all_us - rest_us) / rest_us AS ratio FROM parts)
SELECT device, CASE WHEN least > 3.6 THEN 0 WHEN ratio >= 2.4 THEN ratio <= 3.6 END AS holds,
  printf('serial takes %.3f s, and a run with lists, which moves as often, %.3f s: the forces take at least %.1f '
    || 'times as long as the move%s.', all_us / 1e6, list_us / 1e6, least,
    CASE WHEN least > 3.6 THEN ''
      ELSE printf(', and %.1f times as long as all that every step has: moves and walks through lists', ratio) END
    || CASE WHEN least <= 3.6 AND ratio < 2.4 THEN '; a profile is missing, to tell these apart' ELSE '' END)
    AS evidence,
  'A particle meets 1000 others in a step, and moves once: how much that is depends on what a compiler makes of both.'
    AS explanation,
  abs((21 - (9 - 21 / 5.0) / 0.8) / ((9 - 21 / 5.0) / 0.8) / 3 - 1) <= 0.2 AS holds_there,
  printf('Its figures, 21 s and 9 s with lists made every 5 steps, leave %.1f s for what is no force, and %.1f times '
    || 'that for the forces.', (9 - 21 / 5.0) / 0.8, (21 - (9 - 21 / 5.0) / 0.8) / ((9 - 21 / 5.0) / 0.8)) AS there
FROM ratios WHERE all_us IS NOT NULL AND list_us IS NOT NULL;
