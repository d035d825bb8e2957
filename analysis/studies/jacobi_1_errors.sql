-- table: The six errors
-- system: jacobi
-- place: the output of the program, sections 3, 4 and 5
-- note: Ours are compared with the six in the run itself: the largest difference, relative, of the program on one GPU.
WITH
  printed (iteration, published) AS (
    VALUES (0, 0.00272958), (10, 0.00034546), (20, 0.000210903), (30, 0.000157015), (40, 0.000127122), (50, 0.00010783)),
  ours AS (
    SELECT variant, max(error) AS error, min(outcome) AS outcome FROM gpu_trial JOIN verification USING (trial_id)
    WHERE device = :device AND system = 'jacobi' AND experiment = 'convergence' AND variant IN ('atomic', 'cub_block_reduce')
      AND buffer = 'printed_errors' AND other_problem IS NULL AND n = 4194304
    GROUP BY variant)
SELECT iteration, published AS "error, published",
  (SELECT printf('within %.1e', error) FROM ours WHERE variant = 'atomic' AND outcome = 'correct') AS "atomicAdd, here",
  (SELECT printf('within %.1e', error) FROM ours WHERE variant = 'cub_block_reduce' AND outcome = 'correct')
    AS "CUB, here"
FROM printed ORDER BY iteration;
