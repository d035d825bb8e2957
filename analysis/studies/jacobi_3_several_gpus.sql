-- table: Several GPUs
-- system: jacobi
-- place: sections 4 and 5.5, which print the errors and no times
-- note: As printed, the last point of every GPU but the last is never set, so that the errors are not those of one GPU.
SELECT variant AS program, parameters ->> 'GPUS' AS "GPUs", problem ->> 'N' AS points, problem ->> 'ITERATIONS' AS "at most, iterations",
  round(median_us, 1) AS "here, us",
  round(max(median_us) FILTER (WHERE parameters ->> 'GPUS' = 1) OVER (PARTITION BY variant, problem) / median_us, 2)
    AS "times as fast as one",
  nullif(outcome, 'correct') AS "ends as"
FROM gpu_trial
WHERE device = :device AND system = 'jacobi' AND experiment = 'nvshmem' AND variant LIKE 'nvshmem%'
  AND outcome NOT IN ('unavailable', 'launch_failed')
ORDER BY variant, points, "at most, iterations", "GPUs";
