-- claim: The error is 0.00272958 after the first iteration and 0.00010783 after 51, and falls below 1e-4.
-- system: jacobi
-- source: Jacobi on 4 V100, N = 4194304, ends 5 and 10, zeros between
-- place: TODO
-- holds if: all GPU variants of experiment jacobi/convergence end correct, that is with the published errors in 4 digits,
--   below 1e-4
SELECT device, (min(outcome = 'correct')) AS holds,
  printf('%d of %d GPU configurations are correct.', sum(outcome = 'correct'), count(*)) AS evidence,
  printf('Nearly all terms of the sum are zero, so that the order of additions, by %d to %d blocks, shows in no '
    || 'digit.', min(grid),
    max(grid)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'convergence' AND ran_on = 'cuda'
  AND outcome <> 'skipped_identical'
GROUP BY device;
