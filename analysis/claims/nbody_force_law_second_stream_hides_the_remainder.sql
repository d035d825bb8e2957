-- claim: A second stream hides the kernel for the remainder behind that for the whole blocks.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: v5, two concurrent streams
-- place: TODO
-- holds if: at N = 20479 v5_repaired takes at most 1.13 times its time at 20480, and one stream takes longer than two by more
--   than 2 %, all with blocks of 1024 (experiment nbody_force_law/streams)
WITH steps AS (
  SELECT device, sms, max(median_us) FILTER (WHERE n = 20480 AND variant = 'v5_repaired') AS whole_us,
    max(median_us) FILTER (WHERE n = 20479 AND variant = 'v5_repaired') AS two_us,
    max(median_us) FILTER (WHERE n = 20479 AND variant = 'v5_repaired_one_stream') AS one_us,
    max(grid) FILTER (WHERE n = 20479 AND variant = 'v5_repaired') AS blocks
  FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment = 'streams' AND block_size = 1024
  GROUP BY device)
SELECT device, (two_us <= 1.13 * whole_us AND one_us > 1.02 * two_us) AS holds,
  printf('Without a remainder %.0f us; with 1023 bodies in it %.0f us in two streams and %.0f us in one: %.2f times.',
    whole_us, two_us, one_us, one_us / two_us) AS evidence,
  printf('Each thread adds up N pulls in a row, so one block lasts about as long as %d: after them it costs its whole '
    || 'time, beside them on %d SMs %s.', blocks, sms, CASE WHEN blocks < sms THEN 'next to none'
    ELSE 'a share of an SM' END) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM steps WHERE whole_us IS NOT NULL AND two_us IS NOT NULL AND one_us IS NOT NULL AND blocks IS NOT NULL;
