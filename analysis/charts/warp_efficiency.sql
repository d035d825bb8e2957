-- Threads at work in an executed instruction, of a warp's 32, by the latest counters: of each variant the configuration that
-- was the fastest without them, of its largest problem by work; all launches of a kernel together.
WITH
  counted AS (
    SELECT *, sum(instructions * count) OVER (PARTITION BY counter_run_id) AS of_run FROM counter_launch
    WHERE age = 1 AND threads_per_instruction IS NOT NULL AND system = :system AND experiment = :experiment
      AND device = :device AND kind = :kind),
  problems AS (
    SELECT *, first_value(problem) OVER (PARTITION BY variant ORDER BY of_run DESC, counter_run_id) AS largest FROM counted),
  ranked AS (
    SELECT *, dense_rank() OVER (PARTITION BY variant ORDER BY time_ns, counter_run_id) AS place FROM problems
    WHERE problem = largest),
  kernels AS (
    SELECT variant, kernel, max(block) AS block, max(of_run) AS of_run, sum(instructions * count) AS instructions,
      sum(threads_per_instruction * instructions * count) / sum(instructions * count) AS threads
    FROM ranked WHERE place = 1 GROUP BY variant, kernel)
SELECT 'all' AS chart, 'Warp efficiency on ' || :device AS title,
  'Threads that neither a branch nor a predicate turned off, of the 32 of a warp; kernels with 1 % or more of their '
    || 'variant''s instructions' AS subtitle,
  variant || ', ' || kernel || ' (' || block || ')' AS label, variant, kernel,
  round(100 * threads / 32, 2) AS efficiency, round(threads, 2) AS threads
FROM kernels WHERE instructions >= 0.01 * of_run
ORDER BY efficiency DESC, label LIMIT 40;
