-- claim: There must be a fault in the edition of one launch, though none is seen.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000, 1000 steps, blocks of 128: an unbelievable 4.6e-5 s
-- place: fourth edition for the GPU, its time
-- holds if: fused_as_published ends with a wrong result or a crash (experiment particles/editions)
SELECT device, outcome <> 'correct' AS holds,
  printf('fused_as_published ends as %s%s', outcome,
    CASE WHEN outcome = 'correct' THEN printf(' and takes %.2f ms.', median_us / 1e3)
      ELSE ': ' || coalesce(detail, 'no detail') END) AS evidence,
  printf('%s__syncthreads, once a step, makes the threads of one block wait, and no block for another; nothing waits '
    || 'between the forces and the move.',
    CASE WHEN grid IS NULL THEN '' ELSE printf('%d blocks, %.3f waves. ', grid, waves) END) AS explanation,
  (1000 + 127) / 128 > 1 AS holds_there,
  printf('By what it prints, on any GPU: its %d blocks read positions that others move, '
    || 'without a barrier between them.',
    (1000 + 127) / 128) AS there
FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant = 'fused_as_published'
  AND problem ->> 'STEPS' = 1000 AND block_size = 128
  AND outcome IN ('correct', 'wrong_result', 'illegal_access', 'crashed')
GROUP BY device;
