-- claim: Only 4 functions can be sinpi or cospi, and these save 2 % of the run time.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes, which does not say which 4: run time of a whole run
-- place: section 2.1
-- holds if: sinpi_in_4 saves 1 to 3 %, at 20000 ions and 400 modes (experiment plasma/variants, modes_and_ions)
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE trig = 'double_sin_cos') AS base_us,
    max(median_us) FILTER (WHERE trig = 'sinpi_in_4') AS ours_us,
    max(median_us) FILTER (WHERE trig = 'sinpi_cospi') AS all_us,
    max(registers) FILTER (WHERE trig = 'double_sin_cos') AS base_registers,
    max(registers) FILTER (WHERE trig = 'sinpi_in_4') AS registers,
    max(occupancy) FILTER (WHERE trig = 'double_sin_cos') AS base_occupancy,
    max(occupancy) FILTER (WHERE trig = 'sinpi_in_4') AS occupancy,
    max(waves) FILTER (WHERE trig = 'sinpi_in_4') AS waves
  FROM (SELECT *, parameters ->> 'TRIG' AS trig FROM gpu_trial
        WHERE system = 'plasma' AND experiment = 'variants' AND variant = 'modes_and_ions'
          AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, (1 - ours_us / base_us BETWEEN 0.01 AND 0.03) AS holds,
  printf('A step takes %.1f us with sin and cos, %.1f us with sinpi and cospi for 4 functions of an ion: %.1f %% less, published '
    || '2 %%. With them for all 1600 it takes %.1f us, %.1f %% less.', base_us, ours_us, 100 * (1 - ours_us / base_us), all_us,
    100 * (1 - all_us / base_us)) AS evidence,
  printf('Half turns need no multiple of pi taken off, only whole numbers. 4 of 1600 functions weigh little here; those of the '
    || 'study may have weighed more. The density kernel has %d and %d registers, %d and %d %% occupancy, %.2f waves.',
    base_registers, registers, round(100 * base_occupancy), round(100 * occupancy), waves) AS explanation,
  1 AS holds_there,
  'The study measured 2 % on its GT 630.' AS there
FROM ways WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND all_us IS NOT NULL AND waves IS NOT NULL;
