-- claim: With fewer conditions in the loop the threads of a warp diverge less in v1 than in gpu5.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: graphs of warp efficiency, without a figure
-- place: Nbody kernel v1, the paragraph, second improvement, and the graphs of warp efficiency
-- holds if: an instruction of v1 has more than 1.02 times as many active threads as one of gpu5_repaired, blocks of
--   1024 (view counter_launch, of the configurations of nbody_force_law/variants, by 'tailwave counters' or Nsight
--   Compute)
WITH launches AS (
  SELECT device, variant, threads_per_instruction AS threads, sms, grid FROM counter_launch
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND kernel IN ('body_force', 'accelerate') AND age = 1
    AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH')
SELECT gpu5.device, v1.threads > 1.02 * gpu5.threads AS holds,
  printf('%.2f of 32 threads are active in gpu5 and %.2f in v1.', gpu5.threads, v1.threads) AS evidence,
  'The tests of gpu5 have the same answer for all threads of a warp, but where a thread meets its own body.'
    AS explanation,
  1.0 > 1.02 * (1 - 1.0 / 20480) AS holds_there,
  printf('By the programs as printed a thread of gpu5 leaves out one of 20480 pairs, so that %.3f %% of the threads of '
    || 'its loop are active: there is no 2 %% to gain.', 100 * (1 - 1.0 / 20480)) AS there
FROM launches AS gpu5 JOIN launches AS v1 USING (device)
WHERE gpu5.variant = 'gpu5_repaired' AND v1.variant = 'v1' AND gpu5.threads IS NOT NULL AND v1.threads IS NOT NULL;
