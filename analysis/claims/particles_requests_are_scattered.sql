-- claim: In the program as it was found the requests of different threads are scattered.
-- system: particles
-- source: Particle simulation, unnamed GPU, gpu.cu, no figures
-- place: running on the GPU, the program as it was found: the last paragraph
-- derived: that scattered is a load with more sectors of 32 bytes than 32 adjacent doubles have, 8
-- holds if: a load of the forces of gpu with BLOCK_SIZE 128 at N = 1000 touches more than 8 sectors (counters of
--   experiment particles/editions)
SELECT device, sectors_per_load > 8 AS holds,
  CASE WHEN sectors_per_load IS NULL THEN 'The counters of the forces lack sectors or requests of global loads.'
    ELSE printf('A load of a warp touches %.2f sectors of 32 bytes.', sectors_per_load) END AS evidence,
  printf('%d blocks of %d threads: all threads of a warp read the same other particle at a time, which is one '
    || 'sector; only their own, 48 bytes apart, are 32 sectors.', grid, block) AS explanation,
  0 AS holds_there,
  'By the printed loop, on any GPU: in each of the 1000 turns all threads of a warp read the same particle, one '
    || 'sector; it is not scattered.' AS there
FROM counter_launch
WHERE system = 'particles' AND experiment = 'editions' AND variant = 'gpu' AND parameters ->> 'BLOCK_SIZE' = 128
  AND problem ->> 'N' = 1000 AND kernel = 'compute_forces' AND age = 1
GROUP BY device;
