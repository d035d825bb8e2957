-- claim: All steps in one launch are probably faster than launches for each step.
-- system: particles
-- source: Particle simulation, unnamed GPU, fourth edition, n = 1000, 1000 steps: 4.6e-5 s against 0.36 s, which it
--   doubts
-- place: fourth edition for the GPU: the first paragraph
-- holds if: fused_repaired, in which the whole grid waits where the edition lacks a barrier, is more than 2 % faster
--   than gpu, both with BLOCK_SIZE 128 (experiment particles/editions)
WITH steps AS (
  SELECT device, max(sms) AS sms, max(median_us) FILTER (WHERE variant = 'gpu') AS gpu_us,
    max(median_us) FILTER (WHERE variant = 'fused_repaired') AS fused_us,
    max(outcome) FILTER (WHERE variant = 'fused_as_published') AS published,
    max(active_sms) FILTER (WHERE variant = 'fused_repaired') AS active_sms,
    max(waves) FILTER (WHERE variant = 'fused_repaired') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND problem ->> 'STEPS' = 1000
    AND variant IN ('gpu', 'fused_repaired', 'fused_as_published') AND block_size = 128
  GROUP BY device)
SELECT device, gpu_us > 1.02 * fused_us AS holds,
  printf('A step takes %.2f us in two launches and %.2f us in one launch for all: %.2f times, published 7800. The '
    || 'edition itself %s.',
    gpu_us / 1000, fused_us / 1000, gpu_us / fused_us, coalesce('ends as ' || published, 'was not tried')) AS evidence,
  printf('%d of %d SMs have a block, %.3f waves, with either: what is left without launches is each thread''s 1000 '
    || 'pairs and two barriers of the grid.', active_sms, sms, waves) AS explanation,
  0.36 > 1.02 * 4.6e-5 AS holds_there,
  printf('By its figures, 0.36 and 4.6e-5 s: %d times; but the latter is no time of a simulation, which it '
    || 'suspects itself.', round(0.36 / 4.6e-5)) AS there
FROM steps WHERE gpu_us IS NOT NULL AND fused_us IS NOT NULL AND waves IS NOT NULL;
