-- claim: A remainder of nearly a block makes v5 8 % slower than none.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, blocks of 1024: 15.88 ms against 14.64 ms
-- place: heading of Nbody kernel v5, best and worst case
-- derived: the 8 %, and N = 20479, a remainder of BLOCK - 1 bodies; the text does not say which N it is
-- holds if: v5_repaired takes 1.085 times as long at N = 20479 as at 20480, within 20 %, and more than 2 % longer, with
--   blocks of 1024 (experiment nbody_force_law/streams)
WITH steps AS (
  SELECT device, sms, max(median_us) FILTER (WHERE n = 20480) AS whole_us,
    max(median_us) FILTER (WHERE n = 20479) AS rest_us,
    max(grid) FILTER (WHERE n = 20479) AS blocks
  FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment = 'streams' AND variant = 'v5_repaired' AND block_size = 1024
  GROUP BY device)
SELECT device, (abs(rest_us / whole_us / 1.085 - 1) <= 0.2 AND rest_us > 1.02 * whole_us) AS holds,
  printf('%.1f us without a remainder and %.1f us with one of 1023: %.3f times.', whole_us, rest_us,
    rest_us / whole_us) AS evidence,
  printf('The remainder is one block beside %d others: %s.', blocks,
    CASE WHEN blocks < sms THEN printf('%d SMs have none otherwise, so it runs at the same time on one of them',
      sms - blocks)
         ELSE printf('all %d SMs have work already, so it takes some of theirs', sms) END) AS explanation,
  abs(15.88 / 14.64 / 1.085 - 1) <= 0.2 AND 15.88 > 1.02 * 14.64 AS holds_there,
  printf('15.88 ms over 14.64 ms are %.3f times.', 15.88 / 14.64) AS there
FROM steps WHERE whole_us IS NOT NULL AND rest_us IS NOT NULL AND blocks IS NOT NULL;
