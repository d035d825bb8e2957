-- Version 4: observed blocks have traces of their own, and kernels are timed by the size of their grid. Before, nothing
-- wrote block_trace.

DROP TABLE block_trace;

-- One execution of a configuration in which every block of a launch noted its SM, start and end. Never a time.
CREATE TABLE trace (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device (id),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  system TEXT NOT NULL,
  experiment TEXT NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('ptx', 'workers')),  -- patched PTX; the worker threads of the CPU device
  traced_at TEXT NOT NULL,
  driver TEXT NOT NULL,
  compiler TEXT NOT NULL,
  project_commit TEXT NOT NULL,
  clock_step_ns INTEGER NOT NULL CHECK (clock_step_ns >= 1),  -- the smallest step of the clock that was seen
  plain_time_ns REAL NOT NULL CHECK (plain_time_ns > 0),      -- medians of executions in turn, without and with tracing
  traced_time_ns REAL NOT NULL CHECK (traced_time_ns > 0),
  disturbed TEXT,  -- why the traced blocks are not those of the plain build; NULL: they are
  recorded_from TEXT  -- the file this trace was imported from; NULL: traced into this database
) STRICT;
CREATE INDEX trace_by_configuration ON trace (configuration_id);

-- A launch of a trace, and the resources of its plain and of its traced build.
CREATE TABLE trace_launch (
  trace_id INTEGER NOT NULL REFERENCES trace (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),  -- in the manifest's plan
  kernel TEXT NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  sms INTEGER NOT NULL CHECK (sms >= 1),  -- of the device; cores of a CPU
  -- computed from the plain build; on the CPU device a block takes a worker
  blocks_per_sm INTEGER NOT NULL CHECK (blocks_per_sm >= 1),
  limiter TEXT,
  -- of the plain and of the traced build
  registers INTEGER,
  traced_registers INTEGER,
  local_bytes INTEGER,  -- of memory a thread: stack and spills
  traced_local_bytes INTEGER,
  traced_blocks_per_sm INTEGER,
  PRIMARY KEY (trace_id, position)
) STRICT, WITHOUT ROWID;

-- One block of a traced launch: where and when it ran.
CREATE TABLE block_trace (
  trace_id INTEGER NOT NULL REFERENCES trace (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  block INTEGER NOT NULL CHECK (block >= 0),  -- x fastest
  sm INTEGER NOT NULL CHECK (sm >= 0),
  start_ns INTEGER NOT NULL CHECK (start_ns >= 0),  -- since the first block of the launch began
  end_ns INTEGER NOT NULL CHECK (end_ns >= start_ns),
  PRIMARY KEY (trace_id, position, block)
) STRICT, WITHOUT ROWID;

-- A kernel timed with its grid cut to some number of blocks: what a block does stays what it is.
CREATE TABLE grid_curve (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device (id),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  system TEXT NOT NULL,
  experiment TEXT NOT NULL,
  measured_at TEXT NOT NULL,
  driver TEXT NOT NULL,
  compiler TEXT NOT NULL,
  project_commit TEXT NOT NULL,
  position INTEGER NOT NULL,  -- of the launch in the manifest's plan
  kernel TEXT NOT NULL,
  sms INTEGER NOT NULL CHECK (sms >= 1),
  blocks_per_sm INTEGER NOT NULL CHECK (blocks_per_sm >= 1),  -- predicted
  block_threads INTEGER NOT NULL CHECK (block_threads >= 1),
  full_grid INTEGER NOT NULL CHECK (full_grid >= 1),  -- blocks of the configuration's own launch
  recorded_from TEXT
) STRICT;
CREATE INDEX grid_curve_by_configuration ON grid_curve (configuration_id);

-- One timed sample of a curve.
CREATE TABLE grid_sample (
  curve_id INTEGER NOT NULL REFERENCES grid_curve (id) ON DELETE CASCADE,
  blocks INTEGER NOT NULL CHECK (blocks >= 1),
  position INTEGER NOT NULL CHECK (position >= 0),
  time_ns REAL NOT NULL CHECK (time_ns >= 0),
  fitted INTEGER NOT NULL CHECK (fitted IN (0, 1)),  -- 1: models were fitted to this grid; 0: held out
  PRIMARY KEY (curve_id, blocks, position)
) STRICT, WITHOUT ROWID;

-- What each wave model predicts for each grid of a curve.
CREATE TABLE grid_prediction (
  curve_id INTEGER NOT NULL REFERENCES grid_curve (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  blocks INTEGER NOT NULL CHECK (blocks >= 1),
  time_ns REAL NOT NULL CHECK (time_ns >= 0),
  PRIMARY KEY (curve_id, model, blocks)
) STRICT, WITHOUT ROWID;
