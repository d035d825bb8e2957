-- title: Runs with their environment and what came of them, the latest first; replaces_earlier: by --fresh without --filter; regimes: in which it measured the best again
-- parameters: :experiment, :system, :device, :limit
SELECT run.id AS run, system || '/' || experiment AS experiment, device.name AS device, device.kind, started_at,
  run.finished_at, status, fresh AS replaces_earlier, count(trial.id) AS trials,
  count(trial.id) FILTER (WHERE outcome = 'correct' AND unverified IS NULL) AS correct,
  count(trial.id) FILTER (WHERE outcome = 'correct' AND unverified IS NOT NULL) AS unverified,
  (SELECT group_concat(name, ' ') FROM (SELECT name FROM regime WHERE run_id = run.id ORDER BY position)) AS regimes,
  shard, machine, driver, compiler, host_compiler, project_commit, recorded_from, merged_from
FROM run
  JOIN device ON device.id = run.device_id
  LEFT JOIN trial ON trial.run_id = run.id
WHERE (:experiment IS NULL OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind))
GROUP BY run.id
ORDER BY started_at DESC, run.identity DESC
LIMIT coalesce(:limit, -1);
