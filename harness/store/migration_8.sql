-- Version 8: a build that takes too long is an outcome of its own.

-- As in version 5: the table is made anew, and its indices and triggers with it.
DROP TRIGGER sample_of_correct_trial;
CREATE TABLE new_trial (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  device_id INTEGER NOT NULL REFERENCES device (id),  -- where it ran: the host for a host variant of a GPU run
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  build_id INTEGER REFERENCES build (id),
  key TEXT NOT NULL,  -- content hash of all that decides the result
  outcome TEXT NOT NULL CHECK (outcome IN (
    'correct', 'compile_error', 'compile_timeout', 'exceeds_device_limit', 'launch_failed', 'illegal_access', 'timeout',
    'out_of_memory', 'wrong_result', 'crashed', 'skipped_identical')),
  detail TEXT,  -- why it is not correct
  timer TEXT,  -- cuda_event or steady_clock
  mode TEXT,  -- isolated, batched or graph
  stopped_by TEXT,  -- samples, or the limit that ended sampling
  work TEXT NOT NULL CHECK (json_valid(work)),  -- quantities per execution
  build_seconds REAL,
  build_from_cache INTEGER CHECK (build_from_cache IN (0, 1)),  -- 1: nothing was compiled
  finished_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  same_as TEXT,  -- configuration of this or an earlier run (view identical_trial), with the same code and launches
  UNIQUE (run_id, configuration_id),
  CHECK (outcome = 'correct' OR (timer IS NULL AND stopped_by IS NULL)),
  CHECK ((build_id IS NULL) = (build_seconds IS NULL)),
  CHECK ((build_id IS NULL) = (build_from_cache IS NULL))
) STRICT;
INSERT INTO new_trial SELECT * FROM trial;
DROP TABLE trial;
ALTER TABLE new_trial RENAME TO trial;
CREATE INDEX trial_by_configuration ON trial (configuration_id);
CREATE INDEX trial_by_key ON trial (key);

CREATE TRIGGER sample_of_correct_trial BEFORE INSERT ON sample
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'correct'
BEGIN SELECT raise(ABORT, 'only a correct trial has samples'); END;

CREATE TRIGGER timed_trial_stays_correct BEFORE UPDATE OF outcome ON trial
WHEN NEW.outcome <> 'correct' AND EXISTS (SELECT 1 FROM sample WHERE trial_id = NEW.id)
BEGIN SELECT raise(ABORT, 'only a correct trial has samples'); END;
