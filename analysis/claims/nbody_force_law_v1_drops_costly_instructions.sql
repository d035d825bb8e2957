-- claim: v1 computes a force without some of the costly instructions of gpu5.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: the two programs
-- place: Nbody kernel v1, the paragraph, first improvement
-- holds if: accelerate of v1 executes at least 2 % fewer instructions than body_force of gpu5_repaired, blocks of
--   1024 (view counter_launch, of the configurations of nbody_force_law/variants, by 'tailwave counters' or Nsight
--   Compute)
WITH launches AS (
  SELECT device, variant, instructions * 32.0 / 20480 / 20480 AS a_pair
  FROM counter_launch
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND kernel IN ('body_force', 'accelerate') AND age = 1
    AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH')
SELECT gpu5.device, gpu5.a_pair > 1.02 * v1.a_pair AS holds,
  printf('gpu5 executes %.1f and v1 %.1f instructions a pair: %.2f times.', gpu5.a_pair, v1.a_pair,
    gpu5.a_pair / v1.a_pair) AS evidence,
  'A root or a division with exact rounding is some ten instructions and a branch to a slow path.' AS explanation,
  1 + 5 > 1 + 3 AS holds_there,
  'By the programs as printed gpu5 has a root and five divisions a pair, v1 a root and three.' AS there
FROM launches AS gpu5 JOIN launches AS v1 USING (device)
WHERE gpu5.variant = 'gpu5_repaired' AND v1.variant = 'v1' AND gpu5.a_pair IS NOT NULL AND v1.a_pair IS NOT NULL;
