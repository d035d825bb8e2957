-- claim: Block size 1 is half as fast as block size 2, because its 4096 blocks exceed one wave.
-- system: nbody
-- source: N-body on A100, N = 4096: 14.7e9 and 27.3e9 interactions/s; a wave is 108 SMs x 32 blocks = 3456
-- place: observation 1 on the block size of nbody_parallel.cu
-- holds if: nbody_parallel reaches 0.4 to 0.6 of the rate at BLOCK_SIZE 1 that it has at 2, and exceeds one wave at 1
--   only (experiment nbody/basic_block_size)
WITH sizes AS (
  SELECT device, sms, max(median_us) FILTER (WHERE block_size = 1) AS one_us,
    max(median_us) FILTER (WHERE block_size = 2) AS two_us, max(waves) FILTER (WHERE block_size = 1) AS one_waves,
    max(waves) FILTER (WHERE block_size = 2) AS two_waves, max(grid) FILTER (WHERE block_size = 1) AS blocks,
    max(blocks_per_sm) FILTER (WHERE block_size = 1) AS blocks_per_sm,
    gpu_waves('a100', 4096, 1, max(registers), 0) AS one_waves_there,
    gpu_waves('a100', 2048, 2, max(registers), 0) AS two_waves_there
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
  GROUP BY device)
SELECT device, two_us / one_us BETWEEN 0.4 AND 0.6 AND one_waves > 1 AND two_waves <= 1 AS holds,
  printf('Block size 1 takes %.1f us and 2 takes %.1f us: %.2f of the rate, with %.2f and %.2f waves.', one_us, two_us,
    two_us / one_us, one_waves, two_waves) AS evidence,
  printf('%d blocks of one thread on %d SMs x %d blocks %s.', blocks, sms, blocks_per_sm,
    CASE WHEN one_waves <= 1 THEN 'are all resident at once, so there is no second wave to wait for'
         ELSE 'leave a second wave that starts when blocks of the first end' END) AS explanation,
  one_waves_there > 1 AND two_waves_there <= 1 AND 14.749 / 27.311 BETWEEN 0.4 AND 0.6 AS holds_there,
  printf('Planned for an A100: %.2f waves of blocks of 1 and %.2f of blocks of 2; its rates are %.2f of each other.',
    one_waves_there, two_waves_there, 14.749 / 27.311) AS there
FROM sizes WHERE one_us IS NOT NULL AND two_us IS NOT NULL AND one_waves IS NOT NULL;
