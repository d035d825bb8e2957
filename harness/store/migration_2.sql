-- Version 2: the order of samples and what the device said at each, where a run's time went, the reference that is
-- measured again and again while a run lasts, and what a skipped trial is identical to.

ALTER TABLE run ADD COLUMN seed INTEGER;  -- of the order of configurations; NULL: in the order of the spec

ALTER TABLE trial ADD COLUMN same_as TEXT;  -- configuration of this run, or of one before it (view identical_trial), with the same machine code and launches

ALTER TABLE sample ADD COLUMN sequence INTEGER;      -- order among all samples of the run, drift samples included
ALTER TABLE sample ADD COLUMN sm_clock_mhz REAL;     -- right after the sample: clock64 against globaltimer
ALTER TABLE sample ADD COLUMN temperature_c REAL;    -- latest reading of NVML
ALTER TABLE sample ADD COLUMN throttle_reasons TEXT; -- latest reading of NVML, joined by "+", or "none"

-- The configurations that the experiment had when it was run; trials of others are no longer current.
CREATE TABLE run_plan (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  PRIMARY KEY (run_id, configuration_id)
) STRICT, WITHOUT ROWID;

-- Where the wall-clock time of a run went.
CREATE TABLE run_phase (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  phase TEXT NOT NULL CHECK (phase IN ('wait', 'load', 'verify', 'measure', 'store', 'total')),
  seconds REAL NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;

-- The configuration that a run measures once a block: how its time moves is the drift of the device.
CREATE TABLE drift_sample (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  block INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  time_ns REAL NOT NULL CHECK (time_ns >= 0),
  sm_clock_mhz REAL,
  temperature_c REAL,
  PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;

-- What `tailwave selftest` found out about the instrument; one self-test is the rows of a device with the same run_at.
CREATE TABLE selftest (
  id INTEGER PRIMARY KEY,
  run_at TEXT NOT NULL,       -- UTC, ISO 8601
  device_id INTEGER NOT NULL REFERENCES device (id),
  name TEXT NOT NULL,
  quantity TEXT NOT NULL,
  value REAL,                 -- NULL: could not be measured; detail says why
  unit TEXT,
  expectation TEXT,           -- NULL: the row only informs
  passed INTEGER CHECK (passed IN (0, 1)),  -- NULL: it only informs, or does not apply here
  detail TEXT
) STRICT;
