-- claim: A copy of 1000 particles between CPU and GPU takes 5.5e-5 s.
-- system: particles
-- source: Particle simulation, unnamed GPU, first edition for the GPU, n = 1000: 5.5e-5 and 5.6e-5 s
-- place: first edition for the GPU, what its program prints before each time
-- derived: that it is one copy of 48 bytes a particle from memory of malloc()
-- holds if: gpu_copied from pageable memory takes 55 us within 20 % longer than gpu, both with 1000 particles and one
--   step (experiment particles/copies)
WITH step AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'gpu') AS plain,
    max(median_us) FILTER (WHERE parameters ->> 'HOST_MEMORY' = 'pageable') AS pageable,
    max(median_us) FILTER (WHERE parameters ->> 'HOST_MEMORY' = 'pinned') AS pinned, max(waves) AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'copies' AND variant IN ('gpu', 'gpu_copied')
    AND n = 1000 AND problem ->> 'STEPS' = 1 AND block_size = 128
  GROUP BY device)
SELECT device, pageable - plain BETWEEN 0.8 * 55 AND 1.2 * 55 AS holds,
  printf('A copy of 48 kB adds %.1f us to a step of %.1f us%s.', pageable - plain, plain,
    CASE WHEN pinned IS NULL THEN '' ELSE printf(', from page-locked memory %.1f us', pinned - plain) END) AS evidence,
  printf('The step behind it has %.3f waves, so nothing of it hides a copy, which is latency: of 48 kB, the host''s call '
    || 'for pageable memory included, %.1f GB/s.', waves, 48000 / ((pageable - plain) * 1e3)) AS explanation,
  48000 / 5.5e-5 < 8e9 AS holds_there,
  printf('48 kB in 55 us are %.2f GB/s: any PCI Express of its time does that.', 48000 / 5.5e-5 / 1e9) AS there
FROM step WHERE plain IS NOT NULL AND pageable IS NOT NULL AND waves IS NOT NULL;
