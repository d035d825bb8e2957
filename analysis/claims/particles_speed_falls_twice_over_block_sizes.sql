-- claim: For each number of particles the speed falls twice over the block sizes, and rises gradually after a fall.
-- system: particles
-- source: Particle simulation, unnamed GPU, times of seven block sizes at n = 1000, 2000 and 10000; it knows no reason
-- place: running on the GPU, number of particles and block size: the sentence below the table
-- derived: the order, from 8 threads up, in which its table has two falls for each number
-- holds if: from 8 threads up the time of gpu begins to rise by more than 2 % from one block size to the next exactly
--   twice at each of the three N, all seven measured at each (experiment particles/block_size)
WITH
  published (block_size, n_1000, n_2000, n_10000) AS (
    VALUES (512, 1.25, 2.53, 30), (256, 0.4, 0.77, 21.66), (128, 0.36, 0.98, 23.34), (64, 0.36, 0.72, 24.92),
      (32, 0.35, 0.71, 15.36), (16, 0.35, 1.42, 21.9), (8, 0.62, 1.9, 35.16)),
  sizes AS (  -- the study's own have no device
    SELECT NULL AS device, 1000 AS n, block_size, n_1000 AS time, NULL AS waves FROM published
    UNION ALL SELECT NULL, 2000, block_size, n_2000, NULL FROM published
    UNION ALL SELECT NULL, 10000, block_size, n_10000, NULL FROM published
    UNION ALL
    SELECT device, n, block_size, median_us, waves FROM gpu_trial
    WHERE system = 'particles' AND experiment = 'block_size' AND variant = 'gpu' AND n IN (1000, 2000, 10000)
      AND block_size IN (8, 16, 32, 64, 128, 256, 512) AND median_us IS NOT NULL),
  steps AS (SELECT *, coalesce(time > 1.02 * lag(time) OVER blocks, 0) AS slower FROM sizes
            WINDOW blocks AS (PARTITION BY device, n ORDER BY block_size)),
  begun AS (SELECT *, slower AND NOT coalesce(lag(slower) OVER blocks, 0) AS falls FROM steps
            WINDOW blocks AS (PARTITION BY device, n ORDER BY block_size)),
  counted AS (
    SELECT device, n, sum(falls) AS falls, max(waves) AS waves,
      coalesce(group_concat(iif(falls, block_size, NULL), ' and '), 'none') AS text
    FROM begun GROUP BY device, n HAVING count(DISTINCT block_size) = 7),
  told AS (
    SELECT device, min(falls) = 2 AND max(falls) = 2 AS twice, max(waves) AS waves,
      group_concat(printf('n = %d: %s', n, text), '; ') AS text
    FROM counted GROUP BY device HAVING count(*) = 3)
SELECT here.device, here.twice AS holds,
  printf('The speed begins to fall at these block sizes: %s.', here.text) AS evidence,
  printf('At most %.3f waves of blocks: where all fit at once, a step is as long as one thread''s pairs.', here.waves)
    AS explanation,
  there.twice AS holds_there, printf('In its table it begins to fall at %s.', there.text) AS there
FROM told AS here JOIN told AS there ON there.device IS NULL WHERE here.device IS NOT NULL;
