-- claim: Broadcast to half warps, the reads of one body by a block of 1024 are 64 transactions.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: blockSize / (warpSize / 2)
-- place: Nbody kernel v1, the paragraph, on broadcasts
-- derived: that a transaction is a sector of 32 bytes, two bodies, which is the least that is read
-- holds if: the sectors that a load of a warp touches in v1, times 32 warps, are 64 within 20 %, blocks of 1024 (view
--   counter_launch, of the configurations of nbody_force_law/variants, by 'tailwave counters' or Nsight Compute)
WITH loads AS (
  SELECT device, sectors_per_load, block / 32 AS warps FROM counter_launch
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND variant = 'v1' AND kernel = 'accelerate' AND age = 1
    AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH')
SELECT device, abs(warps * sectors_per_load / 64 - 1) <= 0.2 AS holds,
  printf('A load of a warp touches %.2f sectors, those of %d warps %.1f.', sectors_per_load, warps,
    warps * sectors_per_load) AS evidence,
  'All threads of a warp read the same body, which is 16 bytes: one sector for a whole warp.' AS explanation,
  64 IN (1024 / 32, 1024 / 8) AS holds_there,
  printf('Half warps were the unit of compute capability 1.x. Since 2.0, and so on a GTX 1060 (6.1), loads are put '
    || 'together by warps, or by quarters of them for 16 bytes a thread: %d or %d transactions.', 1024 / 32, 1024 / 8)
    AS there
FROM loads WHERE sectors_per_load IS NOT NULL;
