-- Threads at work in an executed instruction, of a warp's 32, by the latest counters: of each variant the configuration that
-- was the fastest without them.
WITH
  counted AS (
    SELECT variant, kernel, threads_per_instruction, instructions, count, block,
      row_number() OVER (PARTITION BY variant, kernel ORDER BY time_ns) AS place
    FROM counter_launch
    WHERE age = 1 AND threads_per_instruction IS NOT NULL AND system = :system AND experiment = :experiment
      AND device = :device AND kind = :kind),
  shown AS (
    SELECT *, sum(instructions * count) OVER (PARTITION BY variant) AS of_all FROM counted WHERE place = 1)
SELECT 'Warp efficiency on ' || :device AS title,
  'Threads that neither a branch nor a predicate turned off, of the 32 of a warp; kernels with 1 % or more of their '
    || 'variant''s instructions' AS subtitle,
  variant || ', ' || kernel || ' (' || block || ')' AS label, variant, kernel,
  round(100 * threads_per_instruction / 32, 2) AS efficiency, round(threads_per_instruction, 2) AS threads
FROM shown WHERE instructions * count >= 0.01 * of_all
ORDER BY efficiency DESC, label LIMIT 40;
