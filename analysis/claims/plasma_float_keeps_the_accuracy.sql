-- claim: Sines and cosines in float keep the accuracy.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes
-- place: TODO
-- holds if: with TRIG float the forces of one step are within a relative 1e-6 of float64's, at 20000 ions and 400 modes:
--   float32 itself rounds by 6e-8, and 16 times that leaves room for growth in the sums, but not for a loss of digits
--   (experiments plasma/variants and plasma/trig_memory, modes_and_ions, against the reference cpu_fp64)
WITH
  errors AS (
    SELECT gpu_trial.device, gpu_trial.trial_id, problem ->> 'MODES' AS modes, parameters ->> 'TRIG' AS trig, buffer,
      coalesce(error, 9e999) AS error
    FROM gpu_trial JOIN verification ON verification.trial_id = gpu_trial.trial_id
    WHERE system = 'plasma' AND experiment IN ('variants', 'trig_memory') AND variant = 'modes_and_ions'
      AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400 AND problem ->> 'STEPS' = 1),
  ways AS (
    SELECT device, max(modes) AS modes, count(DISTINCT trial_id) FILTER (WHERE trig = 'float') AS trials,
      max(error) FILTER (WHERE trig = 'float' AND buffer = 'forces') AS forces,
      max(error) FILTER (WHERE trig = 'float' AND buffer = 'density') AS density,
      max(error) FILTER (WHERE trig = 'float' AND buffer = 'positions') AS positions,
      max(error) FILTER (WHERE trig = 'sincos' AND buffer = 'forces') AS sincos_forces,
      max(error) FILTER (WHERE trig = 'sincos' AND buffer = 'density') AS sincos_density,
      max(error) FILTER (WHERE trig = 'sincos' AND buffer = 'positions') AS sincos_positions
    FROM errors GROUP BY device)
SELECT device, (forces <= 1e-6) AS holds,
  printf('With float the forces of one step are off by %.1e, the density by %.1e (relative), positions by %.1e; with '
    || 'sincos by %.1e, %.1e and %.1e. The worst of %d trials, before and after timing.', forces, density, positions,
    sincos_forces, sincos_density, sincos_positions, trials) AS evidence,
  printf('An angle n x of up to %d turns is rounded to float32, by up to %.1e of a radian, %s. The bounds on '
    || 'energy, action and momentum (plasma/physical) do not show it: both sums use the same sines, so what one loses '
    || 'the other gains. Waves and occupancy have no part in it.', modes, modes * 6.283185 / 16777216,
    CASE WHEN forces <= 1e-6 THEN 'but the sums average it out'
         ELSE printf('%d times what it is within one turn', modes) END) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM ways
WHERE forces IS NOT NULL AND density IS NOT NULL AND positions IS NOT NULL AND sincos_forces IS NOT NULL
  AND sincos_density IS NOT NULL AND sincos_positions IS NOT NULL;
