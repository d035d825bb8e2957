-- title: Where the wall-clock time of each run went, in seconds
-- parameters: :experiment, :system
-- empty: no run was measured here: recorded results have no times of their phases
SELECT run.id AS run, system || '/' || experiment AS experiment, device.name AS run_device, started_at,
  (SELECT count(*) FROM trial WHERE trial.run_id = run.id) AS trials,
  max(CASE phase WHEN 'total' THEN seconds END) AS total, max(CASE phase WHEN 'wait' THEN seconds END) AS waiting_for_builds,
  max(CASE phase WHEN 'load' THEN seconds END) AS loading, max(CASE phase WHEN 'verify' THEN seconds END) AS verifying,
  max(CASE phase WHEN 'measure' THEN seconds END) AS measuring, max(CASE phase WHEN 'store' THEN seconds END) AS storing
FROM run_phase JOIN run ON run.id = run_phase.run_id JOIN device ON device.id = run.device_id
WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system)
GROUP BY run.id
ORDER BY run.id;
