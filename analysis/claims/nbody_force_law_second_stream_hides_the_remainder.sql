-- claim: In two streams the kernel for the remainder runs beside that for the whole blocks.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: v5, 15.88 ms with a remainder and 14.64 ms without
-- place: Nbody kernel v5, first paragraph, and the timeline of the worst case
-- derived: N = 20479, and the comparison with one stream, which the text has not
-- holds if: at N = 20479 one stream (v5_repaired_one_stream) takes longer than two (v5_repaired) by more than 2 %, with
--   blocks of 1024 (experiment nbody_force_law/streams)
WITH steps AS (
  SELECT device, sms, max(median_us) FILTER (WHERE n = 20480 AND variant = 'v5_repaired') AS whole_us,
    max(median_us) FILTER (WHERE n = 20479 AND variant = 'v5_repaired') AS two_us,
    max(median_us) FILTER (WHERE n = 20479 AND variant = 'v5_repaired_one_stream') AS one_us,
    max(grid) FILTER (WHERE n = 20479 AND variant = 'v5_repaired') AS blocks
  FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment = 'streams' AND block_size = 1024
  GROUP BY device)
SELECT device, (one_us > 1.02 * two_us) AS holds,
  printf('Without a remainder %d us; with 1023 bodies in it %d us in two streams and %d us in one: %.2f times.',
    round(whole_us), round(two_us), round(one_us), one_us / two_us) AS evidence,
  printf('Each thread adds up N pulls in a row, so one block lasts about as long as %d: after them it costs its whole '
    || 'time, beside them on %d SMs %s.', blocks, sms, CASE WHEN blocks < sms THEN 'next to none'
    ELSE 'a share of an SM' END) AS explanation,
  15.88 < 14.64 + 16.5 / 2 AS holds_there,
  printf('v1, the kernel of the remainder, takes 16.5 ms for two blocks an SM, so at least %.2f for one; one after the '
    || 'other that were %.1f ms, and it has 15.88.', 16.5 / 2, 14.64 + 16.5 / 2) AS there
FROM steps WHERE whole_us IS NOT NULL AND two_us IS NOT NULL AND one_us IS NOT NULL AND blocks IS NOT NULL;
