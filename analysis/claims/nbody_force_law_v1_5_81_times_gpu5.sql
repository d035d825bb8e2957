-- claim: v1 is 5.81 times as fast as gpu5.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, N = 20480, blocks of 1024: 16.5 ms against 95.8 ms
-- place: heading of Nbody kernel v1
-- holds if: v1 over gpu5_repaired, both with BLOCK_SIZE 1024 and without FAST_MATH, is 5.81 within 20 %
--   (experiment nbody_force_law/variants)
WITH steps AS (
  SELECT device, sms, max(median_us) FILTER (WHERE variant = 'gpu5_repaired' AND NOT fast) AS gpu5_us,
    max(median_us) FILTER (WHERE variant = 'v1' AND NOT fast) AS ours_us,
    max(median_us) FILTER (WHERE variant = 'gpu5_repaired' AND fast) AS fast_us,
    max(active_sms) FILTER (WHERE variant = 'v1' AND NOT fast) AS active_sms,
    max(grid) FILTER (WHERE variant = 'v1' AND NOT fast) AS blocks
  FROM (SELECT *, parameters ->> 'FAST_MATH' AS fast FROM gpu_trial
        WHERE system = 'nbody_force_law' AND experiment = 'variants' AND n = 20480 AND block_size = 1024)
  GROUP BY device)
SELECT device, (abs(gpu5_us / ours_us / 5.81 - 1) <= 0.2) AS holds,
  printf('gpu5 takes %d us and v1 %d us: %.2f times.', round(gpu5_us), round(ours_us), gpu5_us / ours_us)
    AS evidence,
  printf('%d blocks are on %d of %d SMs in both, so the gain is not one of waves but of work a pair: two '
    || 'divisions and two tests less, and no tile%s.', blocks, active_sms, sms,
    CASE WHEN fast_us IS NULL THEN '' ELSE printf('; FAST_MATH alone makes gpu5 %.2f times as fast',
      gpu5_us / fast_us) END) AS explanation,
  abs(95.8 / 16.5 / 5.81 - 1) <= 0.2 AS holds_there,
  printf('95.8 ms over 16.5 ms are %.2f times.', 95.8 / 16.5) AS there
FROM steps WHERE gpu5_us IS NOT NULL AND ours_us IS NOT NULL AND active_sms IS NOT NULL;
