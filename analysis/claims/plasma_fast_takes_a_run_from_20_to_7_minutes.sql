-- claim: Functions of reduced precision take a run from 20 to 7 minutes.
-- system: plasma
-- source: Plasma simulation: of what was done to trigonometry, only section 2.4 was kept
-- place: conclusions
-- derived: 2.86 times, from 20 and 7 minutes
-- holds if: double_sin_cos over fast is 2.86 within 20 %, both from global memory and without REUSE, as the study kept
--   neither other memories nor reuse (experiment plasma/reuse, modes_and_ions)
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE trig = 'double_sin_cos') AS base_us,
    max(median_us) FILTER (WHERE trig = 'fast') AS ours_us, max(waves) FILTER (WHERE trig = 'fast') AS waves,
    max(occupancy) FILTER (WHERE trig = 'fast') AS occupancy
  FROM (SELECT *, parameters ->> 'TRIG' AS trig FROM gpu_trial
        WHERE system = 'plasma' AND experiment = 'reuse' AND variant = 'modes_and_ions'
          AND parameters ->> 'MEMORY' = 'global' AND NOT parameters ->> 'REUSE'
          AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, (abs(base_us / ours_us / 2.86 - 1) <= 0.2) AS holds,
  printf('A step takes %d us with sin and cos and %d us with __sinf and __cosf: %.2f times, published 2.86.',
    round(base_us), round(ours_us), base_us / ours_us) AS evidence,
  printf('What is gained is arithmetic a pair; the density kernel has %.2f waves at %d %% occupancy. A tenth of the 7 '
    || 'minutes went into saving results on the CPU, which has no part in a step here.', waves, round(100 * occupancy))
    AS explanation,
  20 / 7.0 BETWEEN 0.8 * 2.86 AND 1.2 * 2.86 AS holds_there,
  '20 over 7 minutes are 2.86 times, of a run with a tenth of the 7 spent on the CPU.' AS there
FROM ways WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND waves IS NOT NULL;
