-- claim: With shared memory the speed falls off at smaller blocks than without.
-- system: nbody
-- source: N-body on A100, N = 4096: from 128 to 256 218.5e9 to 178.1e9 interactions/s with, 33.0e9 to 31.4e9 without
-- place: observation 1 on nbody_shared.cu, second point
-- derived: what falling off is: more than 10 % below the best of the smaller ones, since the study calls 8 % no
--   difference
-- holds if: of the block sizes 8 to 512 the first that is more than 10 % slower than the best before it is smaller for
--   nbody_shared (experiment nbody/shared_block_size) than for nbody_parallel (nbody/basic_block_size)
WITH
  sizes AS (
    SELECT *, min(median_us) OVER (PARTITION BY device, variant ORDER BY block_size) AS best_us FROM gpu_trial
    WHERE system = 'nbody' AND n = 4096 AND median_us IS NOT NULL AND block_size IN (8, 16, 32, 64, 128, 256, 512)
      AND (experiment, variant)
        IN (VALUES ('basic_block_size', 'nbody_parallel'), ('shared_block_size', 'nbody_shared'))),
  falls AS (
    SELECT device, min(block_size) FILTER (WHERE variant = 'nbody_shared' AND median_us > 1.1 * best_us) AS shared,
      min(block_size) FILTER (WHERE variant = 'nbody_parallel' AND median_us > 1.1 * best_us) AS parallel,
      max(active_sms) FILTER (WHERE variant = 'nbody_shared' AND block_size = 128) AS sms_at_128,
      max(active_sms) FILTER (WHERE variant = 'nbody_shared' AND block_size = 256) AS sms_at_256, max(sms) AS sms,
      count(*) AS timed
    FROM sizes GROUP BY device)
SELECT device, coalesce(shared, 1024) < coalesce(parallel, 1024) AS holds,
  printf('With shared memory %s, without %s.', coalesce('from ' || shared || ' on', 'at no block size'),
    coalesce('from ' || parallel || ' on', 'at none')) AS evidence,
  printf('With stride 4 blocks of 128 are on %d and blocks of 256 on %d of %d SMs, and each has four times as many '
    || 'warps as without to share its issue slots.', sms_at_128, sms_at_256, sms) AS explanation,
  218.453 > 1.1 * 178.102 AND 33.737 <= 1.1 * 31.359 AS holds_there,
  printf('By its tables 256 takes %.2f times as long as the best smaller one with shared memory, %.2f times without.',
    218.453 / 178.102, 33.737 / 31.359) AS there
FROM falls WHERE timed >= 14 AND sms_at_256 IS NOT NULL;
