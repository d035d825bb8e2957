-- claim: Unrolling a loop takes more registers.
-- system: nbody
-- source: N-body on A100: a rule, without a figure
-- place: nbody_shared.cu, the notes on unrolling
-- derived: the kernel: the text prints none with an unrolled loop, so the rule is tried on ours, which has that pragma
-- holds if: shared without FAST_MATH has more registers at each UNROLL from 2 on than at 1 (experiment
--   nbody/unroll_fast_math)
WITH loops AS (
  SELECT device, max(registers) FILTER (WHERE unroll = 1) AS plain, min(registers) FILTER (WHERE unroll > 1) AS fewest,
    max(registers) FILTER (WHERE unroll > 1) AS most, max(unroll) AS longest,
    min(occupancy) AS occupancy, max(median_us) FILTER (WHERE unroll = 1) / min(median_us) AS gain
  FROM (
    SELECT *, parameters ->> 'UNROLL' AS unroll FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'unroll_fast_math' AND variant = 'shared' AND n = 4096
      AND NOT parameters ->> 'FAST_MATH')
  GROUP BY device)
SELECT device, fewest > plain AS holds,
  printf('%d registers without, %d to %d with 2 to %d pulls written out.', plain, fewest, most, longest) AS evidence,
  printf('More pulls under way at once need more places for what is not finished; at no less than %d %% occupancy '
    || 'there is room for them, and the best is %.2f times as fast as without.', round(100 * occupancy),
    gain) AS explanation,
  30 > 20 AS holds_there,
  'Planned for an A100, the same kernel has 20 registers without, 30 with 2 pulls and 32 with 4.' AS there
FROM loops WHERE plain IS NOT NULL AND fewest IS NOT NULL;
