-- Pairs of timed current trials of one experiment on a GPU, old and new, that cut the same work into blocks in another
-- way: one number differs, and with it the main launch. That number is - a parameter that leaves as many threads as
-- before, within a quarter (a block size), or of which more is more   threads (a stride, a number of blocks). One of
-- which more is fewer threads changes what a thread does, and is left out; - or a problem quantity within a factor of
-- two, where the metric is a rate.
-- work_ratio: new over old threads that have work. Threads that a last block does not need are not counted where that
-- can be told: as many threads as before within a quarter have the same work, and a grid that follows a problem
-- quantity to within two blocks has work in proportion to it.
-- gain: how many times as fast the new one is, by the metric. Each pair is here in both directions. new_system,
-- new_experiment: the same as system and experiment. A condition on both is one on either side of the pairs, and so
-- leaves out what other experiments have before anything is paired.
CREATE VIEW trial_change AS
SELECT old.system, old.experiment, new.system AS new_system, new.experiment AS new_experiment, run_device AS device,
  variant, parameter, of_problem, kernel, sms,
  old.trial_id, old.configuration, old.setting, old.grid, old.block, old.blocks_per_sm, old.waves,
  new.trial_id AS new_trial_id, new.configuration AS new_configuration, new.setting AS new_setting,
  new.grid AS new_grid, new.block AS new_block, new.blocks_per_sm AS new_blocks_per_sm, new.waves AS new_waves,
  CASE
    WHEN NOT of_problem AND 1.0 * new.threads / old.threads BETWEEN 0.8 AND 1.25 THEN 1.0
    WHEN of_problem AND old.block = new.block AND abs(new.grid - 1.0 * old.grid * new.setting / old.setting) < 2 THEN
      1.0 * new.setting / old.setting
    ELSE 1.0 * new.threads / old.threads END AS work_ratio,
  new.speed / old.speed AS gain
FROM trial_setting AS old
  JOIN trial_setting AS new USING (system, experiment, run_device, variant, kernel, mode, sms, metric, parameter, of_problem, others)
WHERE old.setting <> new.setting AND (old.grid <> new.grid OR old.block <> new.block)
  AND CASE
    WHEN of_problem THEN metric <> 'time' AND new.setting BETWEEN 0.5 * old.setting AND 2 * old.setting
    ELSE 1.0 * new.threads / old.threads BETWEEN 0.8 AND 1.25
      OR (new.threads > old.threads) = (new.setting > old.setting) END;
