-- The trials that count for experiments whose ranking is kept (table ranking): the columns of current_trial, then those of
-- ranked_trial (what else: table ranking_trial).
CREATE VIEW kept_trial AS
SELECT trial.id AS trial_id, trial.run_id, ranking.system, ranking.experiment, run_device, run_kind, device.name AS device,
  device.kind, configuration.id AS configuration_id, configuration.name AS configuration, configuration.variant,
  configuration.parameters, configuration.problem, trial.outcome, trial.detail, trial.unverified, run.metric, run.maximise,
  trial.mode, trial.timer, trial.work, peers, value, place, place_from_worst, of_ranked,
  standing, to_best, to_best_low, to_best_high
FROM ranking
  CROSS JOIN ranking_trial ON ranking_trial.ranking_id = ranking.id
  CROSS JOIN trial ON trial.id = ranking_trial.trial_id
  CROSS JOIN run ON run.id = trial.run_id
  CROSS JOIN device ON device.id = trial.device_id
  CROSS JOIN configuration ON configuration.id = trial.configuration_id
WHERE NOT stale;
