-- claim: The kernel with shared memory is 6.8 times as fast as the basic one.
-- system: nbody
-- source: N-body on A100, N = 4096: 218.5e9 against 32.3e9 interactions/s
-- place: TODO
-- holds if: shared (BLOCK_SIZE 128, BLOCK_STRIDE 4) over basic (BLOCK_SIZE 32) is 6.76 within 20 %
--   (experiment nbody/variants)
WITH steps AS (
  SELECT device, sms, max(median_us) FILTER (WHERE variant = 'basic') AS basic_us,
    max(median_us) FILTER (WHERE variant = 'shared' AND parameters ->> 'BLOCK_STRIDE' = 4) AS shared_us,
    max(grid * warps_per_block) FILTER (WHERE variant = 'basic') AS basic_warps,
    max(grid * warps_per_block) FILTER (WHERE variant = 'shared' AND parameters ->> 'BLOCK_STRIDE' = 4) AS shared_warps,
    max(waves) FILTER (WHERE variant = 'shared' AND parameters ->> 'BLOCK_STRIDE' = 4) AS waves
  FROM gpu_trial WHERE system = 'nbody' AND experiment = 'variants' AND n = 4096
  GROUP BY device)
SELECT device, (abs(basic_us / shared_us / 6.76 - 1) <= 0.2) AS holds,
  printf('basic takes %.1f us and shared %.2f us: %.1f times, published 6.8.', basic_us, shared_us,
    basic_us / shared_us) AS evidence,
  printf('shared has %d warps where basic has %d, each with a quarter of the pulls in a row and its operands in '
    || 'shared memory; at %.2f waves there is room for them.', shared_warps, basic_warps, waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM steps WHERE basic_us IS NOT NULL AND shared_us IS NOT NULL AND waves IS NOT NULL;
