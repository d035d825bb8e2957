-- claim: Which block size is best depends on the number of particles.
-- system: particles
-- source: Particle simulation, unnamed GPU, times of seven block sizes at n = 1000, 2000 and 10000
-- place: running on the GPU, number of particles and block size: the sentences above and below the table
-- holds if: no BLOCK_SIZE of 8, 16, ..., 512 is within 2 % of the best of gpu at each of the three N, all seven
--   measured at each (experiment particles/block_size)
WITH
  published (block_size, n_1000, n_2000, n_10000) AS (
    VALUES (512, 1.25, 2.53, 30), (256, 0.4, 0.77, 21.66), (128, 0.36, 0.98, 23.34), (64, 0.36, 0.72, 24.92),
      (32, 0.35, 0.71, 15.36), (16, 0.35, 1.42, 21.9), (8, 0.62, 1.9, 35.16)),
  -- min() picks the row that block_size is of
  there AS (
    SELECT block_size, min(worst) AS worst FROM (
      SELECT block_size, max(n_1000 / (SELECT min(n_1000) FROM published), n_2000 / (SELECT min(n_2000) FROM published),
        n_10000 / (SELECT min(n_10000) FROM published)) AS worst
      FROM published)),
  sizes AS (
    SELECT *, median_us / min(median_us) OVER (PARTITION BY device, n) AS ratio,
      max(active_sms) FILTER (WHERE block_size = 8) OVER (PARTITION BY device, n) AS most_sms,
      max(active_sms) FILTER (WHERE block_size = 512) OVER (PARTITION BY device, n) AS fewest_sms
    FROM gpu_trial WHERE system = 'particles' AND experiment = 'block_size' AND variant = 'gpu'
      AND n IN (1000, 2000, 10000) AND block_size IN (8, 16, 32, 64, 128, 256, 512) AND median_us IS NOT NULL),
  complete AS (
    SELECT device FROM sizes GROUP BY device HAVING count(DISTINCT n || ' ' || block_size) = 3 * 7),
  best AS (
    SELECT device, n, sms, printf('n = %d: %d', n, block_size) AS text, most_sms, fewest_sms FROM sizes WHERE ratio = 1
    GROUP BY device, n),
  overall AS (SELECT device, block_size, max(ratio) AS worst FROM sizes GROUP BY device, block_size),
  steady AS (SELECT device, block_size, min(worst) AS worst FROM overall GROUP BY device)
SELECT best.device, steady.worst > 1.02 AS holds,
  printf('Best are %s; block size %d is at most %.3f times as slow as the best for all of them.', group_concat(text,
    ', '), steady.block_size, steady.worst) AS evidence,
  printf('Between block sizes 8 and 512 the SMs with a block fall from %d to %d of %d at n = '
    || '%d, and from %d to %d at n = %d.',
    max(most_sms) FILTER (WHERE n = 1000), max(fewest_sms) FILTER (WHERE n = 1000), max(sms), 1000,
    max(most_sms) FILTER (WHERE n = 10000), max(fewest_sms) FILTER (WHERE n = 10000), 10000) AS explanation,
  there.worst > 1.02 AS holds_there,
  printf('In its table block size %d is at most %.3f times as slow as '
    || 'the best for each of the three.', there.block_size, there.worst) AS there
FROM complete JOIN best USING (device) JOIN steady USING (device) JOIN there GROUP BY best.device;
