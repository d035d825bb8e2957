-- title: The GPUs that shared a run: how many times as long as the first one each takes
-- parameters: :experiment, :system, :device
-- empty: no run had several GPUs, as 'tailwave run SPEC --device cuda:all' has
SELECT run.id AS run, run.system || '/' || run.experiment AS experiment, device.name AS device, device.uuid AS gpu,
  (SELECT count(*) FROM trial WHERE trial.run_id = run.id AND trial.device_id = device.id) AS trials,
  factor, low, high, ratios
FROM gpu_factor JOIN run ON run.id = gpu_factor.run_id JOIN device ON device.id = gpu_factor.device_id
WHERE (:experiment IS NULL AND instr(run.experiment, '@') = 0 OR :experiment IN (run.experiment, run.system || '/' || run.experiment))
  AND (:system IS NULL OR :system = run.system) AND (:device IS NULL OR :device IN (device.name, device.kind))
ORDER BY run.id, factor, device.uuid;
