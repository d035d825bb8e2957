-- claim: Computing common subexpressions once saves 1 % of the run time.
-- system: plasma
-- source: Plasma simulation, GT 630, 20000 ions, 400 modes: run time of a whole run
-- place: section 1.5
-- holds if: REUSE saves -1 to 3 %, with TRIG double_sin_cos and MEMORY global
--   (experiment plasma/reuse, modes_and_ions)
WITH ways AS (
  SELECT device, max(median_us) FILTER (WHERE NOT reuse) AS base_us, max(median_us) FILTER (WHERE reuse) AS ours_us,
    max(registers) FILTER (WHERE NOT reuse) AS base_registers, max(registers) FILTER (WHERE reuse) AS registers,
    max(waves) FILTER (WHERE reuse) AS waves
  FROM (SELECT gpu_trial.device, median_us, parameters ->> 'MEMORY' AS memory, parameters ->> 'REUSE' AS reuse,
          launch.registers, launch.waves
        FROM gpu_trial JOIN launch ON launch.trial_id = gpu_trial.trial_id AND launch.kernel = 'move_ions'
        WHERE system = 'plasma' AND experiment = 'reuse' AND variant = 'modes_and_ions'
          AND parameters ->> 'TRIG' = 'double_sin_cos'
          AND parameters ->> 'MEMORY' = 'global'
          AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, (1 - ours_us / base_us BETWEEN -0.01 AND 0.03) AS holds,
  printf('A step takes %.1f us without and %.1f us with: %.1f %% less, published 1 %%.', base_us, ours_us,
    100 * (1 - ours_us / base_us)) AS evidence,
  printf('What is used again is a part of a mode''s field, next to two float64 functions a pair. The kernel that '
    || 'reads the field has %d and %d registers and %.2f waves.', base_registers, registers, waves) AS explanation,
  1 AS holds_there,
  'The study measured 1 % on its GT 630.' AS there
FROM ways WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND waves IS NOT NULL;
