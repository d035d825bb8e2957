-- claim: The kernel with shared memory is 1434 times as fast as the serial program.
-- system: nbody
-- source: N-body on A100, N = 4096: the study's text, against its own table
-- place: TODO
-- holds if: shared (BLOCK_SIZE 128, BLOCK_STRIDE 4) over cpu is 1434 within 20 %, here and in the study's table
--   (experiment nbody/variants with its published values)
WITH
  ours AS (
    SELECT device, max(value) FILTER (WHERE variant = 'cpu') AS cpu_value,
      max(value) FILTER (WHERE variant = 'shared' AND parameters ->> 'BLOCK_STRIDE' = 4) AS shared_value
    FROM gpu_trial WHERE system = 'nbody' AND experiment = 'variants' AND n = 4096 GROUP BY device),
  study AS (
    SELECT max(value) FILTER (WHERE variant = 'shared') / max(value) FILTER (WHERE variant = 'cpu') AS factor
    FROM published_value WHERE system = 'nbody' AND experiment = 'variants')
SELECT device,
  (max(abs(shared_value / cpu_value / 1434 - 1), abs(factor / 1434 - 1)) <= 0.2) AS holds,
  printf('%.0f times here, and %.0f times by the study''s own table.', shared_value / cpu_value, factor) AS evidence,
  'No occupancy enters: 1434 and the table contradict each other on the same GPU.' AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM ours, study WHERE cpu_value IS NOT NULL AND shared_value IS NOT NULL AND factor IS NOT NULL;
