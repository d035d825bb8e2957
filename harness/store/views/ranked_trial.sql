-- Every timed trial that counts with its value, its place among those of the same experiment, problem and device (1 is the
-- best; place_from_worst counts from the other end), and how many those are: correct ones, and unverified ones. Kernels,
-- programs and host variants are ranked each among themselves (current_trial.peers). standing to to_best_high: of a ranking
-- that is kept (kept_trial); else NULL.
CREATE VIEW ranked_trial AS
SELECT * FROM kept_trial WHERE place IS NOT NULL
UNION ALL
SELECT * FROM unkept_trial;
