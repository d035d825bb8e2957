-- claim: Lists are slower on a GPU because they use global memory more.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 0.78 s against 0.36 s
-- place: fifth edition for the GPU, its time: the reason
-- derived: that use of global memory is bytes to and from L2, of a step that makes lists
-- holds if: lists_repaired (REBUILD 5) takes more than 1.02 times as long as gpu, and its forces move more than 1.02
--   times as many bytes to and from L2, both with BLOCK_SIZE 128 (experiment particles/editions, and its counters)
WITH
  steps AS (
    SELECT device, max(median_us) FILTER (WHERE variant = 'gpu') AS gpu_us,
      max(median_us) FILTER (WHERE variant = 'lists_repaired') AS list_us, max(waves) AS waves
    FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND block_size = 128
      AND (variant = 'gpu' OR variant = 'lists_repaired' AND parameters ->> 'REBUILD' = 5)
    GROUP BY device),
  traffic AS (
    SELECT device, max(l2_bytes) FILTER (WHERE variant = 'gpu') AS gpu_bytes,
      max(l2_bytes) FILTER (WHERE variant = 'lists_repaired') AS list_bytes
    FROM counter_launch
    WHERE system = 'particles' AND experiment = 'editions' AND problem ->> 'N' = 1000 AND kernel = 'compute_forces'
      AND age = 1 AND parameters ->> 'BLOCK_SIZE' = 128
      AND (variant = 'gpu' OR variant = 'lists_repaired' AND parameters ->> 'REBUILD' = 5)
    GROUP BY device)
SELECT device, CASE WHEN list_us <= 1.02 * gpu_us THEN 0 ELSE list_bytes > 1.02 * gpu_bytes END AS holds,
  printf('gpu takes %.2f ms and lists_repaired %.2f ms: %.2f times%s', gpu_us / 1e3, list_us / 1e3, list_us / gpu_us,
    CASE WHEN list_us <= 1.02 * gpu_us THEN ', so there is nothing to explain.'
      WHEN gpu_bytes IS NULL OR list_bytes IS NULL THEN '. Counters of both, which say what they move, are missing.'
      ELSE printf('; the forces move %.3f and %.3f MB to and from L2.', gpu_bytes / 1e6, list_bytes / 1e6) END)
    AS evidence,
  printf('At %.3f waves a step lasts as long as one thread''s loads, one after the other: 1000 particles, or those '
    || 'of its list, which lie scattered.', waves) AS explanation,
  0.78 > 1.02 * 0.36 AND 1000 / 5 + 200 * (32 + 32) > 1000 AS holds_there,
  printf('It takes 0.78 s against 0.36 s, and by arithmetic without caches a step of a warp is some %d sectors '
    || 'against 1000: a fifth of all pairs, and 200 entries and as many particles that differ between its 32 threads.',
    1000 / 5 + 200 * (32 + 32)) AS there
FROM steps LEFT JOIN traffic USING (device) WHERE gpu_us IS NOT NULL AND list_us IS NOT NULL AND waves IS NOT NULL;
