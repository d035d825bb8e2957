-- claim: On one GPU the errors of iterations 0, 10, 20, 30, 40 and 50 are 0.00272958, 0.00034546, 0.000210903,
--   0.000157015, 0.000127122 and 0.00010783; then the error falls to 1e-4 and the program ends with success.
-- system: jacobi
-- source: Jacobi on V100, N = 4194304, ends 5 and 10, zeros between, one atomic addition a point
-- place: section 3, the code for one GPU and its output
-- derived: that it ends before iteration 60, of which nothing is printed
-- holds if: atomic ends correct in experiment jacobi/convergence, that is with these errors within half a unit of the
--   fourth digit, and all errors and the number of iterations as in float64
WITH RECURSIVE
  printed (iteration, error) AS (
    VALUES (0, 0.00272958), (10, 0.00034546), (20, 0.000210903), (30, 0.000157015), (40, 0.000127122), (50, 0.00010783),
      (60, NULL)),
  -- A step moves a point by the end's value x the chance that a random walk from it arrives there at that step for the
  -- first time: distance / steps x C(steps, back) / 2^steps, with distance = steps - 2 x back.
  walk (iteration, steps, back, chance) AS (
    SELECT iteration, iteration + 1, 0, 1.0 / (1 << (iteration + 1)) FROM printed
    UNION ALL
    SELECT iteration, steps, back + 1, chance * (steps - back) / (back + 1) FROM walk WHERE 2 * (back + 1) < steps),
  computed AS (
    SELECT iteration, (5 * 5 + 10 * 10) * sum((chance * (steps - 2 * back) / steps)
      * (chance * (steps - 2 * back) / steps)) / 4194304 AS square
    FROM walk GROUP BY iteration),
  arithmetic AS (
    SELECT max(abs(square / (error * error) - 1)) / 2 AS off, max(square) FILTER (WHERE iteration = 60) AS last
    FROM computed JOIN printed USING (iteration))
SELECT device, CASE outcome WHEN 'correct' THEN 1 WHEN 'wrong_result' THEN 0 END AS holds,
  printf('atomic is %s%s%s.', outcome, coalesce(': ' || detail, ''),
    CASE WHEN median_us IS NULL THEN '' ELSE printf(', in %.1f ms', median_us / 1e3) END) AS evidence,
  printf('Nearly all terms of the sum are zero, so that the order of additions by %d blocks shows in no digit.', grid)
    AS explanation,
  off <= 5e-5 AND last < 1e-8 AS holds_there,
  printf('Computed from the chances of random walks, the six errors are the printed ones within %.0e, and that of '
    || 'iteration 60 is %.3g of 1e-4.', off, sqrt(last) / 1e-4) AS there
FROM gpu_trial CROSS JOIN arithmetic
WHERE system = 'jacobi' AND experiment = 'convergence' AND variant = 'atomic' AND n = 4194304 AND block_size = 256
  AND problem ->> 'ITERATIONS' = 1000;
