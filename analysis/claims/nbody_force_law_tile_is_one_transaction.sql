-- claim: Neighbouring addresses read by all threads of a block are one transaction, as large as the block.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: a rule, without a figure
-- place: Nbody kernel v3, the paragraph, on contiguous access
-- derived: that a transaction is at most 128 bytes, four sectors, as for all GPUs since compute capability 2.0
-- holds if: the loads of a block of 1024 for a tile in v3_repaired are one transaction: its warps times the sectors of
--   a load are at most 4 (view counter_launch, of the configurations of nbody_force_law/variants, by 'tailwave
--   counters' or Nsight Compute)
WITH loads AS (
  SELECT device, sectors_per_load, block / 32 AS warps FROM counter_launch
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND variant = 'v3_repaired' AND kernel = 'accelerate' AND age = 1
    AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH')
SELECT device, warps * sectors_per_load <= 4 AS holds,
  printf('%d warps load a tile with %.1f sectors each, %d transactions of 128 bytes.', warps, sectors_per_load,
    round(warps * sectors_per_load / 4)) AS evidence,
  'Loads are put together within a warp, not within a block; a tile of 1024 bodies has 16 KiB.' AS explanation,
  1024 * 16 <= 128 AS holds_there,
  printf('A tile of 1024 bodies of 16 bytes is at least %d transactions of 128 bytes on a GTX 1060 too.',
    1024 * 16 / 128) AS there
FROM loads WHERE sectors_per_load IS NOT NULL;
