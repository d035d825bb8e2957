-- claim: sinpi and cospi save 2 % of the run time.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes: run time of a whole run
-- place: TODO
-- holds if: sinpi_cospi saves 0 to 4 %, at 20000 ions and 400 modes
--   (experiment plasma/variants, modes_and_ions)
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE trig = 'double_sin_cos') AS base_us,
    max(median_us) FILTER (WHERE trig = 'sinpi_cospi') AS ours_us,
    max(registers) FILTER (WHERE trig = 'double_sin_cos') AS base_registers,
    max(registers) FILTER (WHERE trig = 'sinpi_cospi') AS registers,
    max(occupancy) FILTER (WHERE trig = 'double_sin_cos') AS base_occupancy,
    max(occupancy) FILTER (WHERE trig = 'sinpi_cospi') AS occupancy,
    max(waves) FILTER (WHERE trig = 'sinpi_cospi') AS waves
  FROM (SELECT *, parameters ->> 'TRIG' AS trig FROM gpu_trial
        WHERE system = 'plasma' AND experiment = 'variants' AND variant = 'modes_and_ions'
          AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, (1 - ours_us / base_us BETWEEN 0 AND 0.04) AS holds,
  printf('A step takes %.0f us with sin and cos apart and %.0f us with sinpi_cospi: %.1f %% less, published 2 %%.',
    base_us, ours_us, 100 * (1 - ours_us / base_us)) AS evidence,
  printf('Half turns need no multiple of pi taken off, only whole numbers. The density kernel has %d and %d '
    || 'registers, %.0f and %.0f %% occupancy, %.2f waves.', base_registers, registers, 100 * base_occupancy,
    100 * occupancy, waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM ways WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND waves IS NOT NULL;
