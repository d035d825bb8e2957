-- Every timed trial that counts with its value, its place among those of the same experiment, problem and device (1 is the
-- best; place_from_worst counts from the other end), and how many those are: correct ones, and unverified ones. Kernels,
-- programs and host variants are ranked each among themselves (current_trial.peers).
CREATE VIEW ranked_trial AS
SELECT current_trial.*, trial_rate.value,
  row_number() OVER (alike ORDER BY CASE WHEN maximise THEN -value ELSE value END NULLS LAST, configuration) AS place,
  row_number() OVER (alike ORDER BY CASE WHEN maximise THEN value ELSE -value END NULLS LAST, configuration)
    AS place_from_worst,
  count(*) OVER alike AS of_ranked
FROM current_trial JOIN trial_rate USING (trial_id, device, kind, metric, maximise)
WINDOW alike AS (PARTITION BY system, experiment, run_device, run_kind, device, kind, peers, problem);
