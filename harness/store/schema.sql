-- Version 1. Raw facts only: medians, rates, speedups and comparisons are views (harness/store/views).
-- Times are UTC, ISO 8601. NULL: not known, or there is none.

-- A GPU or CPU with its limits; shared by runs while all fields agree.
CREATE TABLE device (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('cuda', 'cpu')),
  name TEXT NOT NULL,
  uuid TEXT NOT NULL,
  compute_capability INTEGER NOT NULL,  -- 90 for 9.0; 0 for a CPU
  sms INTEGER NOT NULL,                 -- multiprocessors, or cores
  memory_bytes INTEGER NOT NULL,
  clock_mhz REAL NOT NULL,
  memory_clock_mhz REAL NOT NULL,
  properties TEXT NOT NULL CHECK (json_valid(properties)),
  UNIQUE (kind, name, uuid, compute_capability, sms, memory_bytes, clock_mhz, memory_clock_mhz, properties)
) STRICT;

-- One invocation of an experiment on a device: what was asked, when, under which driver and compilers.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device (id),
  system TEXT NOT NULL,  -- a folder of kernel_templates
  experiment TEXT NOT NULL,
  question TEXT NOT NULL,
  metric TEXT NOT NULL,  -- 'time' or '<work quantity>_per_second'
  maximise INTEGER NOT NULL CHECK (maximise IN (0, 1)),  -- 1: more is better
  spec_file TEXT NOT NULL,
  spec_hash TEXT NOT NULL,
  spec_text TEXT NOT NULL,  -- the experiment as it was read
  fresh INTEGER NOT NULL CHECK (fresh IN (0, 1)),  -- 1: supersedes all earlier runs of the experiment here
  started_at TEXT NOT NULL,  -- UTC
  finished_at TEXT,
  status TEXT NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'interrupted', 'failed')),
  host TEXT NOT NULL,
  driver TEXT NOT NULL,  -- CUDA version and driver
  compiler TEXT NOT NULL,  -- of CUDA templates
  host_compiler TEXT NOT NULL,  -- of host variants, and of templates on the CPU device
  project_commit TEXT NOT NULL,
  tailwave_version TEXT NOT NULL,
  clocks TEXT CHECK (clocks IS NULL OR json_valid(clocks)),  -- what NVML said when the run began
  occupancy_device TEXT NOT NULL,  -- what occupancy and waves were computed for; '' for nothing
  recorded_from TEXT,  -- the file this run was imported from; NULL: measured into this database
  CHECK ((status = 'running') = (finished_at IS NULL))
) STRICT;
CREATE INDEX run_by_experiment ON run (experiment, system, device_id);

-- Variant, parameters and problem: one point of a space.
CREATE TABLE configuration (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,  -- system/variant/NAME:value/...
  system TEXT NOT NULL,
  variant TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK (json_valid(parameters)),  -- name -> value
  problem TEXT NOT NULL CHECK (json_valid(problem))  -- name -> value
) STRICT;

-- A compiled artifact, by the content of all that went into it.
CREATE TABLE build (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,  -- content hash of all that went in
  compiler TEXT NOT NULL,
  target TEXT NOT NULL,  -- sm_90, or the host
  options TEXT NOT NULL,
  code_hash TEXT NOT NULL,  -- of the machine code
  log TEXT NOT NULL  -- what the compiler said
) STRICT;

-- One configuration in one run: its outcome, and the work of one execution. Only a correct one has samples.
CREATE TABLE trial (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  device_id INTEGER NOT NULL REFERENCES device (id),  -- where it ran: the host for a host variant of a GPU run
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  build_id INTEGER REFERENCES build (id),
  key TEXT NOT NULL,  -- content hash of all that decides the result
  outcome TEXT NOT NULL CHECK (outcome IN (
    'correct', 'compile_error', 'exceeds_device_limit', 'launch_failed', 'illegal_access', 'timeout',
    'out_of_memory', 'wrong_result', 'crashed', 'skipped_identical')),
  detail TEXT,  -- why it is not correct
  timer TEXT,  -- cuda_event or steady_clock
  mode TEXT,  -- isolated, batched or graph
  stopped_by TEXT,  -- samples, or the limit that ended sampling
  work TEXT NOT NULL CHECK (json_valid(work)),  -- quantities per execution
  build_seconds REAL,
  build_from_cache INTEGER CHECK (build_from_cache IN (0, 1)),  -- 1: nothing was compiled
  finished_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  UNIQUE (run_id, configuration_id),
  CHECK (outcome = 'correct' OR (timer IS NULL AND stopped_by IS NULL)),
  CHECK ((build_id IS NULL) = (build_seconds IS NULL)),
  CHECK ((build_id IS NULL) = (build_from_cache IS NULL))
) STRICT;
CREATE INDEX trial_by_configuration ON trial (configuration_id);
CREATE INDEX trial_by_key ON trial (key);

-- One kernel launch of a trial's plan: its shape, its resources, and the occupancy and waves computed from them. One in a
-- loop is one row, as it is the first time.
CREATE TABLE launch (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  kernel TEXT NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  -- what the compiler gave the kernel
  registers INTEGER,
  spill_bytes INTEGER,
  stack_bytes INTEGER,
  barriers INTEGER,
  max_threads INTEGER,  -- from __launch_bounds__; 0: not given
  static_shared_bytes INTEGER,
  -- computed for occupancy_device
  occupancy_device TEXT,
  blocks_per_sm INTEGER,
  occupancy REAL CHECK (occupancy BETWEEN 0 AND 1),
  limiter TEXT,
  limit_registers INTEGER,
  limit_shared_memory INTEGER,
  limit_warps INTEGER,
  limit_blocks INTEGER,
  waves REAL CHECK (waves >= 0),
  full_waves INTEGER,
  tail_fraction REAL CHECK (tail_fraction BETWEEN 0 AND 1),
  quantisation_efficiency REAL CHECK (quantisation_efficiency BETWEEN 0 AND 1),
  active_sms INTEGER,
  driver_blocks_per_sm INTEGER,  -- what the driver of the device that ran it answered
  PRIMARY KEY (trial_id, position)
) STRICT, WITHOUT ROWID;

-- One timed sample. All are kept; a trigger refuses those of a trial that is not correct.
CREATE TABLE sample (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  repetition INTEGER NOT NULL CHECK (repetition >= 0),
  position INTEGER NOT NULL CHECK (position >= 0),
  time_ns REAL NOT NULL CHECK (time_ns >= 0),  -- per execution
  executions INTEGER NOT NULL CHECK (executions >= 1),  -- in this sample
  dropped TEXT,  -- why it does not count; NULL: it does
  PRIMARY KEY (trial_id, repetition, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sample_of_correct_trial BEFORE INSERT ON sample
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'correct'
BEGIN SELECT raise(ABORT, 'only a correct trial has samples'); END;

CREATE TRIGGER timed_trial_stays_correct BEFORE UPDATE OF outcome ON trial
WHEN NEW.outcome <> 'correct' AND EXISTS (SELECT 1 FROM sample WHERE trial_id = NEW.id)
BEGIN SELECT raise(ABORT, 'only a correct trial has samples'); END;

-- One buffer compared with the reference, before or after timing.
CREATE TABLE verification (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('before', 'after')),  -- of timing
  buffer TEXT NOT NULL,
  norm TEXT NOT NULL,  -- of the manifest
  error REAL,  -- NULL: not a number
  tolerance REAL NOT NULL,
  passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
  detail TEXT,  -- the worst element
  PRIMARY KEY (trial_id, position)
) STRICT, WITHOUT ROWID;

-- One block of a traced launch: where and when it ran.
CREATE TABLE block_trace (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  launch INTEGER NOT NULL,
  block INTEGER NOT NULL,
  sm INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL CHECK (end_ns >= start_ns),
  PRIMARY KEY (trial_id, launch, block)
) STRICT, WITHOUT ROWID;

-- Counters of a profiler; never mixed with times.
CREATE TABLE profile_metric (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  launch INTEGER NOT NULL,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  unit TEXT NOT NULL,
  PRIMARY KEY (trial_id, launch, name)
) STRICT, WITHOUT ROWID;

-- A published figure in SI units.
CREATE TABLE published_value (
  id INTEGER PRIMARY KEY,
  system TEXT,  -- NULL: whichever system has an experiment of this name
  experiment TEXT NOT NULL,
  study TEXT NOT NULL,
  device TEXT NOT NULL,
  quantity TEXT NOT NULL,  -- a metric: 'time' or '<work quantity>_per_second'
  unit TEXT NOT NULL,      -- as published; the value here is SI
  variant TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK (json_valid(parameters)),
  value REAL NOT NULL,
  invalid TEXT,  -- why the figure is known to be wrong
  note TEXT
) STRICT;
CREATE INDEX published_by_experiment ON published_value (experiment);
