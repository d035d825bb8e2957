-- table: All editions
-- system: particles
-- place: the last table, "Comparison of the optimisations": the best time of each, 1000 particles
-- note: Editions 3 and 4 cannot have worked as printed; below each stands the program as it was meant. The lists of edition 5 are made
--   every 5 steps, as the text says of its time.
WITH
  printed (place, number, edition, grid, block, published, variant) AS (
    VALUES (1, 0, 'the program as it was found', '1*n', '1*128', '0.36', 'gpu'),
      (2, 1, 'shape of the blocks', 'n*(n/64)', '1*64', '2', 'gpu1'), (3, 2, 'the start in parallel', NULL, NULL, NULL, 'init_on_gpu'),
      (4, 3, 'shared memory', '1*n', '1*128', '0.16', 'shared_as_published'),
      (5, NULL, '... as it was meant', NULL, NULL, NULL, 'shared_repaired'),
      (6, 4, 'one kernel', '1*n', '1*128', '4.6e-05 !!', 'fused_as_published'),
      (7, NULL, '... as it was meant', NULL, NULL, NULL, 'fused_repaired'),
      (8, 5, 'data arranged anew in memory', '1*n', '1*128', '0.78', 'lists_as_published'),
      (9, NULL, '... with room for all neighbours', NULL, NULL, NULL, 'lists_repaired')),
  ours AS (
    SELECT variant, min(median_us) / 1e6 AS s, min(outcome) AS outcome FROM gpu_trial
    WHERE device = :device AND system = 'particles' AND experiment = 'editions' AND n = 1000 AND problem ->> 'STEPS' = 1000
      AND coalesce(block_size, 128) = 128 AND coalesce(parameters ->> 'REBUILD', 5) = 5
    GROUP BY variant)
SELECT number AS "edition", edition AS "what", grid AS "grid dim", block AS "block dim", published AS "published, s",
  round(s, 4) AS "here, s", nullif(outcome, 'correct') AS "ends as",
  round((SELECT s FROM ours WHERE variant = 'gpu') / s, 2) AS "times as fast as 0, here"
FROM printed LEFT JOIN ours USING (variant) ORDER BY place;
