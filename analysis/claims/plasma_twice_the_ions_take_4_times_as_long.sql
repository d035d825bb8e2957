-- claim: Twice the number of particles takes 4 times as long.
-- system: plasma
-- source: Plasma simulation, GT 630
-- place: conclusions
-- holds if: 40000 ions over 20000 is 4 within 20 %, with 400 modes and TRIG sincos
--   (experiment plasma/scaling, modes_and_ions)
WITH sizes AS (
  SELECT device, max(median_us) FILTER (WHERE ions = 20000) AS base_us,
    max(median_us) FILTER (WHERE ions = 40000) AS ours_us,
    max(median_us) FILTER (WHERE ions = 80000) AS fourfold_us, max(waves) FILTER (WHERE ions = 20000) AS base_waves,
    max(waves) FILTER (WHERE ions = 40000) AS waves
  FROM (SELECT *, problem ->> 'S' AS ions FROM gpu_trial
        WHERE system = 'plasma' AND experiment = 'scaling' AND variant = 'modes_and_ions'
          AND parameters ->> 'TRIG' = 'sincos' AND problem ->> 'MODES' = 400)
  GROUP BY device)
SELECT device, (abs(ours_us / base_us / 4 - 1) <= 0.2) AS holds,
  printf('20000 ions take %.1f us and 40000 take %.1f us: %.2f times%s.', base_us, ours_us, ours_us / base_us,
    CASE WHEN fourfold_us IS NULL THEN '' ELSE printf('; 80000 %.2f times', fourfold_us / base_us) END) AS evidence,
  printf('Both sums go over ions times modes, so the work grows with the ions; the waves of the density kernel go '
    || 'from %.2f to %.2f.', base_waves, waves) AS explanation,
  1 AS holds_there,
  'The study measured 4 times. By its own counts twice the ions are twice the pairs of an ion and a mode, '
    || 'unless modes double, too.' AS there
FROM sizes WHERE base_us IS NOT NULL AND ours_us IS NOT NULL AND base_waves IS NOT NULL AND waves IS NOT NULL;
