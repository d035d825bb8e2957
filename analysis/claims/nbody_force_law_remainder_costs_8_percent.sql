-- claim: A remainder of BLOCK - 1 bodies makes v5 8 % slower than none.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, blocks of 1024: 15.88 ms against 14.64 ms; N = 20479 is inferred
-- place: TODO
-- holds if: v5_repaired takes 1.04 to 1.13 times as long at N = 20479 as at 20480, with blocks of 1024
--   (experiment nbody_force_law/streams)
WITH steps AS (
  SELECT device, sms, max(median_us) FILTER (WHERE n = 20480) AS whole_us,
    max(median_us) FILTER (WHERE n = 20479) AS rest_us,
    max(grid) FILTER (WHERE n = 20479) AS blocks
  FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment = 'streams' AND variant = 'v5_repaired' AND block_size = 1024
  GROUP BY device)
SELECT device, (rest_us / whole_us BETWEEN 1.04 AND 1.13) AS holds,
  printf('%.1f us without a remainder and %.1f us with one of 1023: %.3f times.', whole_us, rest_us,
    rest_us / whole_us) AS evidence,
  printf('The remainder is one block beside %d others: %s.', blocks,
    CASE WHEN blocks < sms THEN printf('%d SMs have none otherwise, so it runs at the same time on one of them',
      sms - blocks)
         ELSE printf('all %d SMs have work already, so it takes some of theirs', sms) END) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM steps WHERE whole_us IS NOT NULL AND rest_us IS NOT NULL AND blocks IS NOT NULL;
