-- claim: From gpu5 to v1 more instructions are executed a cycle.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler: said without a figure
-- place: Nbody kernel v1, the paragraph
-- holds if: body_force of gpu5_repaired executes at least 2 % fewer instructions a cycle than accelerate of v1, blocks
--   of 1024 (view counter_launch, of the configurations of nbody_force_law/variants, by 'tailwave counters' or Nsight
--   Compute)
WITH launches AS (
  SELECT device, variant, sms, grid, ipc, instructions * 32.0 / 20480 / 20480 AS a_pair
  FROM counter_launch
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND kernel IN ('body_force', 'accelerate') AND age = 1
    AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH')
SELECT gpu5.device, v1.ipc > 1.02 * gpu5.ipc AS holds,
  printf('%.2f instructions a cycle and SM in gpu5 and %.2f in v1.', gpu5.ipc, v1.ipc) AS evidence,
  printf('%d blocks on %d SMs in both, with %d and %d instructions a pair: the fewer long chains, the more can '
    || 'issue.', v1.grid, v1.sms, round(gpu5.a_pair), round(v1.a_pair)) AS explanation,
  1 AS holds_there, 'The text says so of its profile; it prints no figure.' AS there
FROM launches AS gpu5 JOIN launches AS v1 USING (device)
WHERE gpu5.variant = 'gpu5_repaired' AND v1.variant = 'v1' AND gpu5.ipc IS NOT NULL AND v1.ipc IS NOT NULL;
