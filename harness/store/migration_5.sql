-- Version 5: searches instead of sweeps, results recorded by other tuners, and simulated searches.

-- Devices of results that another tuner recorded: little more than a name is known of them. SQLite cannot change a CHECK, so
-- the table is made anew (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes"); foreign keys are
-- off meanwhile and checked before the transaction ends.
CREATE TABLE new_device (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('cuda', 'cpu', 'recorded')),
  name TEXT NOT NULL,
  uuid TEXT NOT NULL,
  compute_capability INTEGER NOT NULL,  -- 90 for 9.0; 0 for a CPU, and where it is not known
  sms INTEGER NOT NULL,                 -- multiprocessors, or cores; 0: not known
  memory_bytes INTEGER NOT NULL,
  clock_mhz REAL NOT NULL,
  memory_clock_mhz REAL NOT NULL,
  properties TEXT NOT NULL CHECK (json_valid(properties)),
  UNIQUE (kind, name, uuid, compute_capability, sms, memory_bytes, clock_mhz, memory_clock_mhz, properties)
) STRICT;
INSERT INTO new_device SELECT * FROM device;
DROP TABLE device;
ALTER TABLE new_device RENAME TO device;

-- What a recorded result of another tuner says of a whole trial, e.g. 'time' in 'ms': its own objective, which need not be a
-- statistic of its samples.
CREATE TABLE measurement (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  unit TEXT NOT NULL,
  objective INTEGER NOT NULL CHECK (objective IN (0, 1)),  -- 1: what was optimised
  PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

-- A run that searched.
CREATE TABLE search (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  strategy TEXT NOT NULL,
  options TEXT NOT NULL CHECK (json_valid(options)),
  seed INTEGER NOT NULL,
  budget_evaluations INTEGER,  -- NULL: none was given
  budget_seconds REAL,
  space_size INTEGER NOT NULL,  -- valid configurations of the problem that was searched
  pruned INTEGER NOT NULL,      -- of them known to be impossible before anything was compiled
  configurations INTEGER NOT NULL,  -- of all problems and variants, less the impossible ones
  stopped_by TEXT CHECK (stopped_by IN ('budget', 'space', 'interrupt')),  -- NULL: still running, or killed
  final_run_id INTEGER REFERENCES run (id) ON DELETE SET NULL  -- in which the leaders were measured again
) STRICT;

-- Evaluations in the order of their results.
CREATE TABLE search_step (
  run_id INTEGER NOT NULL REFERENCES search (run_id) ON DELETE CASCADE,
  step INTEGER NOT NULL CHECK (step >= 1),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  cost REAL,               -- as the strategy was told; NULL: failed
  seconds REAL NOT NULL,   -- since the run began
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

-- A strategy simulated on a recorded space.
CREATE TABLE simulation (
  id INTEGER PRIMARY KEY,
  simulated_at TEXT NOT NULL,
  space TEXT NOT NULL,
  device TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('training', 'test', 'other')),
  points INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  optimum REAL NOT NULL, median REAL NOT NULL,
  budget INTEGER NOT NULL CHECK (budget >= 1),  -- evaluations
  strategy TEXT NOT NULL,
  options TEXT NOT NULL CHECK (json_valid(options)),  -- all of them
  given TEXT NOT NULL CHECK (json_valid(given)),      -- those that were not left at their defaults
  seconds REAL NOT NULL
) STRICT;

-- The scores of each seed of a simulation.
CREATE TABLE simulation_seed (
  simulation_id INTEGER NOT NULL REFERENCES simulation (id) ON DELETE CASCADE,
  seed INTEGER NOT NULL,
  score REAL NOT NULL,
  bounded_score REAL NOT NULL,
  best REAL,  -- at the end of the budget; NULL: nothing ran
  PRIMARY KEY (simulation_id, seed)
) STRICT, WITHOUT ROWID;

-- Convergence: the lowest cost so far, over the seeds, after some of the evaluations; the worst cost as long as nothing ran.
CREATE TABLE simulation_step (
  simulation_id INTEGER NOT NULL REFERENCES simulation (id) ON DELETE CASCADE,
  evaluation INTEGER NOT NULL CHECK (evaluation >= 1),
  baseline REAL NOT NULL,  -- what random search is expected to have found
  median REAL NOT NULL,
  low REAL NOT NULL, high REAL NOT NULL,  -- quartiles
  PRIMARY KEY (simulation_id, evaluation)
) STRICT, WITHOUT ROWID;
