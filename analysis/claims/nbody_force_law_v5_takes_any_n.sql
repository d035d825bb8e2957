-- claim: v5 takes any number of bodies.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: a flexible kernel
-- place: Nbody kernel v5, the end of the first paragraph
-- holds if: v5_repaired is correct at every N that is no multiple of BLOCK_SIZE (experiments nbody_force_law/streams,
--   remainder and as_published)
WITH runs AS (
  SELECT * FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment IN ('streams', 'remainder', 'as_published')
    AND variant = 'v5_repaired' AND n % block_size > 0)
SELECT device, min(outcome = 'correct') AS holds,
  printf('%d of %d configurations with a remainder are correct%s.', sum(outcome = 'correct'), count(*),
    coalesce('; the others: ' || group_concat(DISTINCT outcome) FILTER (WHERE outcome <> 'correct'), '')) AS evidence,
  printf('Each body of the remainder, %d to %d of them, has a thread of a kernel of its own, and a tile counts its '
    || 'bodies.', min(n % block_size), max(n % block_size)) AS explanation,
  20479 / 1024 * 1024 + 20479 % 1024 = 20479 AS holds_there,
  printf('By the program as printed %d bodies in whole blocks and %d with an offset are 20479, and no thread is left '
    || 'over; its time with a remainder is 15.88 ms.', 20479 / 1024 * 1024, 20479 % 1024) AS there
FROM runs GROUP BY device;
