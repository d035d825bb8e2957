-- claim: From block size 2 to 4 it is coalescing that gains: the threads of a block read neighbouring memory.
-- system: nbody
-- source: N-body on A100, N = 4096: 27.3e9 (2) and 32.5e9 interactions/s (4)
-- place: observation 2 on the block size of nbody_parallel.cu, its reason
-- derived: that reads of neighbours touch more sectors of 32 bytes a load the more threads there are, 24 bytes a body
-- holds if: 4 is more than 2 % faster than 2 and a load of a warp touches at least 1.2 times as many sectors at 4 as at
--   2 (nbody_parallel, experiment nbody/basic_block_size, and view counter_launch, by 'tailwave counters' or Nsight
--   Compute)
WITH
  times AS (
    SELECT device, max(median_us) FILTER (WHERE block_size = 2) AS two_us,
      max(median_us) FILTER (WHERE block_size = 4) AS four_us, max(grid) FILTER (WHERE block_size = 2) AS two_blocks,
      max(grid) FILTER (WHERE block_size = 4) AS four_blocks
    FROM gpu_trial
    WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
    GROUP BY device),
  loads AS (
    SELECT device, max(sectors_per_load) FILTER (WHERE parameters ->> 'BLOCK_SIZE' = 2) AS two_sectors,
      max(sectors_per_load) FILTER (WHERE parameters ->> 'BLOCK_SIZE' = 4) AS four_sectors
    FROM counter_launch
    WHERE kind = 'cuda' AND system = 'nbody' AND variant = 'nbody_parallel' AND problem ->> 'N' = 4096 AND age = 1
      AND kernel = 'body_force'
    GROUP BY device)
SELECT times.device,
  CASE WHEN two_sectors IS NOT NULL AND four_sectors IS NOT NULL
    THEN two_us > 1.02 * four_us AND four_sectors >= 1.2 * two_sectors END AS holds,
  printf('4 is %.2f times as fast as 2', two_us / four_us)
    || CASE WHEN two_sectors IS NULL OR four_sectors IS NULL THEN '; the loads of the two are not counted.'
    ELSE printf('; a load touches %.2f sectors at 2 and %.2f at 4.', two_sectors, four_sectors) END AS evidence,
  printf('All threads of a block read the same body at a time, which is one sector however many they are; %d warps '
    || 'become %d.', two_blocks, four_blocks) AS explanation,
  0 AS holds_there,
  'By the code as printed: in the loop all threads read p[j] with the same j, so no load has neighbours to fetch '
    || 'together.' AS there
FROM times LEFT JOIN loads USING (device)
WHERE two_us IS NOT NULL AND four_us IS NOT NULL AND four_blocks IS NOT NULL;
