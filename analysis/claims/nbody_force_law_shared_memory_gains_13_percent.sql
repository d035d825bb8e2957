-- claim: Shared memory makes v3 faster than v1, by 13 %.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, N = 20480, blocks of 1024: 14.64 against 16.5 ms
-- place: Nbody kernel v3, the paragraph and the heading, beside that of v1
-- derived: the 13 %
-- holds if: v1 takes 1.127 times as long as v3_repaired, within 20 %, and more than 2 % longer, without FAST_MATH
--   (experiment nbody_force_law/variants)
WITH
  steps AS (
    SELECT device, max(median_us) FILTER (WHERE variant = 'v1') AS v1_us,
      max(median_us) FILTER (WHERE variant = 'v3_repaired') AS v3_us,
      max(1.0 * grid * warps_per_block / active_sms) FILTER (WHERE variant = 'v3_repaired') AS warps
    FROM gpu_trial
    WHERE system = 'nbody_force_law' AND experiment = 'variants' AND n = 20480 AND block_size = 1024
      AND NOT parameters ->> 'FAST_MATH'
    GROUP BY device),
  spread AS (
    SELECT device,
      max(median_us) FILTER (WHERE variant = 'v1') / max(median_us) FILTER (WHERE variant = 'v3_repaired') AS factor,
      max(1.0 * grid * warps_per_block / active_sms) FILTER (WHERE variant = 'v3_repaired') AS warps
    FROM gpu_trial WHERE system = 'nbody_force_law' AND experiment = 'block_size' AND n = 20480 AND block_size = 128
    GROUP BY device)
SELECT device, (abs(v1_us / v3_us / 1.127 - 1) <= 0.2 AND v1_us > 1.02 * v3_us) AS holds,
  printf('v1 takes %d us and v3 %d us: %.3f times.', round(v1_us), round(v3_us), v1_us / v3_us) AS evidence,
  printf('The tile saves the latency of a load a pair, of which %d warps on an SM hide their part%s.',
    round(steps.warps),
    CASE WHEN factor IS NULL THEN '' ELSE printf('; with blocks of 128, %.1f warps on an SM, v3 is %.2f times as fast '
      || 'as v1', spread.warps, factor) END) AS explanation,
  abs(16.5 / 14.64 / 1.127 - 1) <= 0.2 AND 16.5 > 1.02 * 14.64 AS holds_there,
  printf('16.5 ms over 14.64 ms are %.3f times.', 16.5 / 14.64) AS there
FROM steps LEFT JOIN spread USING (device) WHERE v1_us IS NOT NULL AND v3_us IS NOT NULL AND steps.warps IS NOT NULL;
