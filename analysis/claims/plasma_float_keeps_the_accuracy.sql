-- claim: Sines and cosines in float keep the accuracy.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes
-- confirmed if: modes_and_ions with TRIG float ends correct over many steps, within the same bounds on action, momentum and
--   energy as float64 (experiment plasma/physical)
WITH
  runs AS (
    SELECT device, count(*) AS tried, sum(outcome = 'correct') AS correct, max(waves) AS waves,
      max(occupancy) AS occupancy,
      max(problem ->> 'STEPS') AS steps
    FROM gpu_trial
    WHERE system = 'plasma' AND experiment = 'physical' AND variant = 'modes_and_ions'
      AND parameters ->> 'TRIG' = 'float'
      AND outcome IN ('correct', 'wrong_result')
    GROUP BY device),
  errors AS (
    SELECT device, max(error) FILTER (WHERE parameters ->> 'TRIG' = 'float') AS float_error,
      max(error) FILTER (WHERE parameters ->> 'TRIG' = 'sincos') AS double_error
    FROM gpu_trial JOIN verification ON verification.trial_id = gpu_trial.trial_id
    WHERE system = 'plasma' AND experiment = 'variants' AND variant = 'modes_and_ions' AND buffer = 'forces'
    GROUP BY device)
SELECT device, CASE WHEN correct = tried THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%d of %d runs of %d steps stay within the bounds%s.', correct, tried, steps,
    CASE WHEN float_error IS NULL OR double_error IS NULL THEN ''
         ELSE printf('; the forces of one step are off by %.1e, with float64 by %.1e', float_error, double_error) END)
    AS evidence,
  printf('An angle n x of up to 400 turns loses 9 of float''s 24 bits, and averages over the ions hide it; %.2f waves '
    || 'and %.0f %% occupancy have no part in it.', waves, 100 * occupancy) AS explanation
FROM runs LEFT JOIN errors USING (device);
