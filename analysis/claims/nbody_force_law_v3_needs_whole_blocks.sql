-- claim: v3 accesses memory out of bounds where the bodies are no multiple of the block size.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: a restriction, without a figure
-- place: Nbody kernel v3, the paragraph, on the restrictions that shared memory imposes
-- derived: N = 2049 beside 2048, and that an access out of bounds ends as anything but a correct result
-- holds if: v3_as_published is correct at N = 2048 and not at 2049, with each BLOCK_SIZE that is correct at 2048
--   (experiment nbody_force_law/as_published)
WITH runs AS (
  SELECT device, block_size, max(outcome) FILTER (WHERE n = 2048) AS whole,
    max(outcome) FILTER (WHERE n = 2049) AS rest, max(detail) FILTER (WHERE n = 2049) AS detail
  FROM gpu_trial
  WHERE system = 'nbody_force_law' AND experiment = 'as_published' AND variant = 'v3_as_published' AND n IN (2048, 2049)
  GROUP BY device, block_size)
SELECT device, min(rest <> 'correct') FILTER (WHERE whole = 'correct') AS holds,
  group_concat(printf('Blocks of %d: %s at 2048, %s at 2049%s.', block_size, whole, rest, coalesce(': ' || detail, '')),
    ' ') AS evidence,
  'The last block has threads beyond the bodies, which read and write without a test; and the last tile is used whole.'
    AS explanation,
  (20479 + 1023) / 1024 * 1024 > 20479 AS holds_there,
  printf('By the program as printed %d threads are started for 20479 bodies, and all of them read and write.',
    (20479 + 1023) / 1024 * 1024) AS there
FROM runs WHERE whole IS NOT NULL AND rest IS NOT NULL GROUP BY device;
