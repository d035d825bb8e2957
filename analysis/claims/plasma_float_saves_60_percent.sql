-- claim: Sines and cosines in float save 60 % of the run time.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes: run time of a whole run
-- place: section 2.4
-- holds if: double_sin_cos over float is 2.5 times as fast within 20 %, at 20000 ions and 400 modes
--   (experiment plasma/variants, modes_and_ions)
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE trig = 'double_sin_cos') AS base_us,
    max(median_us) FILTER (WHERE trig = 'float') AS ours_us,
    max(registers) FILTER (WHERE trig = 'double_sin_cos') AS base_registers,
    max(registers) FILTER (WHERE trig = 'float') AS registers,
    max(occupancy) FILTER (WHERE trig = 'double_sin_cos') AS base_occupancy,
    max(occupancy) FILTER (WHERE trig = 'float') AS occupancy, max(waves) FILTER (WHERE trig = 'float') AS waves
  FROM (SELECT *, parameters ->> 'TRIG' AS trig FROM gpu_trial
        WHERE system = 'plasma' AND experiment = 'variants' AND variant = 'modes_and_ions'
          AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, (abs(base_us / ours_us / 2.5 - 1) <= 0.2) AS holds,
  printf('A step takes %d us with sin and cos apart and %d us with float: %.1f %% less, published 60 %%.',
    round(base_us), round(ours_us), 100 * (1 - ours_us / base_us)) AS evidence,
  printf('The units for float32 do the trigonometry, those for float64 only the sums. The density kernel has %d and '
    || '%d registers, %d and %d %% occupancy, %.2f waves.', base_registers, registers, round(100 * base_occupancy),
    round(100 * occupancy), waves) AS explanation,
  1 AS holds_there,
  'The study measured 60 % on its GT 630.' AS there
FROM ways WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND waves IS NOT NULL;
