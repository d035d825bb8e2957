-- claim: The pump is computed on the GPU, not in parallel, since a CPU would need time for exchanging data.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes
-- place: section 1.1
-- derived: that the least of that time is one copy to the host and one from it in each step, and that it has to be more
--   than all that the GPU's one thread takes
-- holds if: modes_and_ions_pump_copied takes longer than modes_and_ions by more than advance_pump takes where it was
--   counted (experiment plasma/pump; view counter_launch of the same number of modes)
WITH
  step AS (
    SELECT device, problem ->> 'MODES' AS modes, max(waves) AS waves, problem ->> 'STEPS' AS steps,
      max(median_us) FILTER (WHERE variant = 'modes_and_ions') AS plain,
      max(median_us) FILTER (WHERE variant = 'modes_and_ions_pump_copied') AS copied
    FROM gpu_trial WHERE system = 'plasma' AND experiment = 'pump' AND problem ->> 'MODES' = 400
    GROUP BY device, modes, steps),
  pump AS (
    SELECT device, max(duration_ns) / 1000 AS pump
    FROM counter_launch WHERE system = 'plasma' AND kernel = 'advance_pump' AND age = 1 AND problem ->> 'MODES' = 400
    GROUP BY device)
SELECT device, (copied - plain) / steps > pump AS holds,
  printf('Two copies add %.1f us to a step of %.1f us; the pump''s one thread takes %.1f us.',
    (copied - plain) / steps, plain / steps, pump) AS evidence,
  printf('A step waits for them: at most %.2f waves lie behind a copy, and each kernel needs what the one before '
    || 'wrote.', waves) AS explanation,
  2 * 8.0 > 400 * 3 * 8 / (1000 * gpu_bandwidth('gt630')) AS holds_there,
  printf('On a GT 630: a copy costs some 8 us on a bus of its time, two 16; the thread reads 400 x 3 numbers, which '
    || 'its %.1f GB/s give in %.1f us at best.', gpu_bandwidth('gt630'),
    400 * 3 * 8 / (1000 * gpu_bandwidth('gt630'))) AS there
FROM step JOIN pump USING (device) WHERE plain IS NOT NULL AND copied IS NOT NULL AND waves IS NOT NULL;
