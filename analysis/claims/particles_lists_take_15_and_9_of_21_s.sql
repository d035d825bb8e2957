-- claim: On one core, lists bring the time from 21 s to 15 s when made every 2 steps and to 9 s when made every 5.
-- system: particles
-- source: Particle simulation, one core at 2.2 GHz, n = 1000, MAX_DISTANCE 20
-- place: running on the CPU, first edition: the last paragraph and its chart
-- derived: that what counts are the factors, 1.40 and 2.33
-- holds if: serial over serial_lists is 1.40 within 20 % with REBUILD 2 and 2.33 within 20 % with 5, both with
--   MAX_DISTANCE 20 (experiment particles/editions)
WITH steps AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'serial') AS all_us,
    max(median_us) FILTER (WHERE variant = 'serial_lists' AND parameters ->> 'REBUILD' = 2) AS often_us,
    max(median_us) FILTER (WHERE variant = 'serial_lists' AND parameters ->> 'REBUILD' = 5) AS list_us
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND ran_on = 'cpu'
    AND (variant = 'serial' OR parameters ->> 'MAX_DISTANCE' = 20)
  GROUP BY device)
SELECT device, abs(all_us / often_us / 1.4 - 1) <= 0.2 AND abs(all_us / list_us / 2.33 - 1) <= 0.2 AS holds,
  printf('All pairs take %.2f s on one core of this GPU''s host, lists made every 2 steps %.2f s and every 5 %.2f s: '
    || '%.2f and %.2f times.', all_us / 1e6, often_us / 1e6, list_us / 1e6, all_us / often_us, all_us / list_us)
    AS evidence,
  printf('To make lists takes the distances of all pairs: at the price of a step of all pairs %.2f and %.2f s of '
    || 'these; the other steps meet some 13 particles for each.', all_us / 2e6, all_us / 5e6) AS explanation,
  abs(21 / 15.0 / 1.4 - 1) <= 0.2 AND abs(21 / 9.0 / 2.33 - 1) <= 0.2
    AND abs((15 - 21 / 2.0) / (9 - 21 / 5.0) - 1) <= 0.2 AS holds_there,
  printf('By its figures, which agree: less 21 s over the interval, both leave much the same for the lists and the '
    || 'moves, %.1f and %.1f s.', 15 - 21 / 2.0, 9 - 21 / 5.0) AS there
FROM steps WHERE all_us IS NOT NULL AND often_us IS NOT NULL AND list_us IS NOT NULL;
