-- claim: In the worst case, with a remainder of nearly a block, v5 is 6.03 times as fast as gpu5.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, blocks of 1024: 15.88 ms against 95.8 ms
-- place: heading of Nbody kernel v5, worst case, and the paragraph below
-- derived: N = 20479, a remainder of BLOCK - 1 bodies; the text does not say which N it is
-- holds if: v5_repaired at N = 20479 (experiment nbody_force_law/streams) over gpu5_repaired at 20480
--   (nbody_force_law/block_size), all blocks of 1024, without FAST_MATH, is 6.03 within 20 %
WITH
  gpu5 AS (
    SELECT device, median_us FROM gpu_trial
    WHERE system = 'nbody_force_law' AND experiment = 'block_size' AND variant = 'gpu5_repaired' AND n = 20480
      AND block_size = 1024),
  v5 AS (
    SELECT * FROM gpu_trial
    WHERE system = 'nbody_force_law' AND experiment = 'streams' AND variant = 'v5_repaired' AND n = 20479
      AND block_size = 1024)
SELECT v5.device,
  (abs(gpu5.median_us / v5.median_us / 6.03 - 1) <= 0.2) AS holds,
  printf('gpu5 takes %d us and v5 with a remainder of 1023 bodies %d us: %.2f times.',
    round(gpu5.median_us), round(v5.median_us), gpu5.median_us / v5.median_us) AS evidence,
  printf('%d whole blocks and one for the remainder on %d SMs with room for %d each: %s.', grid, sms, blocks_per_sm,
    CASE WHEN grid < sms THEN 'the remainder has an SM of its own' ELSE 'the remainder shares an SM' END)
    AS explanation,
  abs(95.8 / 15.88 / 6.03 - 1) <= 0.2 AS holds_there,
  printf('95.8 ms over 15.88 ms are %.2f times.', 95.8 / 15.88) AS there
FROM v5 JOIN gpu5 USING (device)
WHERE v5.median_us IS NOT NULL AND gpu5.median_us IS NOT NULL AND blocks_per_sm IS NOT NULL;
