-- claim: Sines and cosines in float keep the accuracy of the results.
-- system: plasma
-- source: Plasma simulation, which gives no measure of it
-- place: section 2.4
-- holds if: with TRIG float after 3000 steps of 2000 ions and 100 modes density and amplitudes of the waves are within 1 %
--   of the reference (relative), as near as a graph shows, where double_sin_cos is within 1 %, too
--   (experiment plasma/accuracy, modes_and_ions)
WITH
  errors AS (
    SELECT device, problem ->> 'STEPS' AS steps, parameters ->> 'TRIG' AS trig, buffer, max(coalesce(error, 9e999)) AS error
    FROM gpu_trial JOIN verification USING (trial_id)
    WHERE system = 'plasma' AND experiment = 'accuracy' AND variant = 'modes_and_ions' AND other_problem IS NULL
      AND problem ->> 'S' = 2000 AND problem ->> 'MODES' = 100
    GROUP BY device, steps, trig, buffer),
  ways AS (
    SELECT device, max(error) FILTER (WHERE trig = 'float' AND steps = 1 AND buffer = 'density') AS first_density,
      max(error) FILTER (WHERE trig = 'float' AND steps = 1000 AND buffer = 'density') AS middle_density,
      max(error) FILTER (WHERE trig = 'float' AND steps = 3000 AND buffer = 'density') AS density,
      max(error) FILTER (WHERE trig = 'float' AND steps = 3000 AND buffer = 'amplitudes') AS amplitudes,
      max(error) FILTER (WHERE trig = 'float' AND steps = 3000 AND buffer = 'pump') AS pump,
      max(error) FILTER (WHERE trig = 'double_sin_cos' AND steps = 1 AND buffer = 'density') AS double_first_density,
      max(error) FILTER (WHERE trig = 'double_sin_cos' AND steps = 3000 AND buffer = 'density') AS double_density,
      max(error) FILTER (WHERE trig = 'double_sin_cos' AND steps = 3000 AND buffer = 'amplitudes') AS double_amplitudes
    FROM errors GROUP BY device)
SELECT device, (density <= 0.01 AND amplitudes <= 0.01) AS holds,
  printf('The density is off by %.1e after 1 step, %.1e after 1000 and %.1e after 3000; the amplitudes then by %.1e and the '
    || 'pump, of 0.25, by %.1e. With sin and cos in float64 density and amplitudes are off by %.1e and %.1e.', first_density,
    middle_density, density, amplitudes, pump, double_density, double_amplitudes) AS evidence,
  printf('Ions are chaotic: what one step rounds is %.0e times as much after 3000, and %.0e times in float64. How many steps '
    || 'a run may have depends on what its first step rounds. Waves and occupancy have no part in it.', density / first_density,
    double_density / double_first_density) AS explanation,
  1 AS holds_there,
  'The study says that accuracy is kept, and gives no measure of it.' AS there
FROM ways
WHERE first_density IS NOT NULL AND middle_density IS NOT NULL AND density IS NOT NULL AND amplitudes IS NOT NULL
  AND pump IS NOT NULL AND double_first_density IS NOT NULL AND double_density <= 0.01 AND double_amplitudes <= 0.01;
