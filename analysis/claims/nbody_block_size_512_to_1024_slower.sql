-- claim: Block sizes from 512 to 1024 are markedly slower.
-- system: nbody
-- source: N-body on A100, N = 4096: 28.9e9 (512) and 20.1e9 (1024) against 31.4e9 interactions/s (256)
-- place: observation 4 on the block size of nbody_parallel.cu
-- holds if: 512, 1023 and 1024 each take more than 1.02 times as long as 256 (nbody_parallel, experiment
--   nbody/basic_block_size)
WITH sizes AS (
  SELECT device, sms, max(median_us) FILTER (WHERE block_size = 256) AS base_us,
    max(median_us) FILTER (WHERE block_size = 512) AS half_us,
    max(median_us) FILTER (WHERE block_size = 1023) AS odd_us,
    max(median_us) FILTER (WHERE block_size = 1024) AS full_us,
    max(active_sms) FILTER (WHERE block_size = 512) AS half_sms,
    max(active_sms) FILTER (WHERE block_size = 1024) AS full_sms
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  GROUP BY device)
SELECT device,
  (min(half_us, odd_us, full_us) > 1.02 * base_us) AS holds,
  printf('256 takes %.1f us, 512 %.2f times, 1023 %.2f times and 1024 %.2f times as long.', base_us, half_us / base_us,
    odd_us / base_us, full_us / base_us) AS evidence,
  printf('Blocks of 512 are on %d of %d SMs and blocks of 1024 on %d, with 16 and 32 warps on each: the fewer SMs, '
    || 'the more warps share the issue slots of one.', half_sms, sms, full_sms) AS explanation,
  31.359 > 1.02 * max(28.857, 20.423, 20.092) AS holds_there,
  printf('By its table 512, 1023 and 1024 take %.2f, %.2f and %.2f times as long as 256.', 31.359 / 28.857,
    31.359 / 20.423, 31.359 / 20.092) AS there
FROM sizes WHERE base_us IS NOT NULL AND half_us IS NOT NULL AND odd_us IS NOT NULL AND full_us IS NOT NULL;
