-- claim: Which block size is best depends on the number of particles.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 2000 and 10000; in its table 32 is the best for all three
-- place: TODO
-- holds if: no BLOCK_SIZE of 8, 16, ..., 512 is within 2 % of the best at each of the three N, all seven measured at each
--   (experiment particles/block_size)
WITH
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
SELECT best.device, (steady.worst > 1.02) AS holds,
  printf('Best are %s; block size %d is at most %.3f times as slow as the best for all of them.', group_concat(text,
    ', '), steady.block_size, steady.worst) AS evidence,
  printf('Between block sizes 8 and 512 the SMs with a block fall from %d to %d of %d at n = %d, and from %d to %d at '
    || 'n = %d.',
    max(most_sms) FILTER (WHERE n = 1000), max(fewest_sms) FILTER (WHERE n = 1000), max(sms), 1000,
    max(most_sms) FILTER (WHERE n = 10000), max(fewest_sms) FILTER (WHERE n = 10000), 10000) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM complete JOIN best USING (device) JOIN steady USING (device) GROUP BY best.device;
