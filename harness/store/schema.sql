-- Schema version 1; until a release it changes in place. Raw facts only: medians, rates, speedups and comparisons are
-- views (harness/store/views). Only of experiments with many trials what views say of them is kept (ranking). The columns of
-- a table of records are those that members() of the record names (core/members.h).
-- Times are UTC, ISO 8601. NULL: not known, or there is none.

-- A GPU or CPU with its limits; shared by runs while all fields agree. Little more than the name is known of one whose
-- results another tuner recorded.
CREATE TABLE device (
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

-- One invocation of an experiment on a device: what was asked, when, under which driver and compilers.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE CHECK (length(identity) = 32 AND identity NOT GLOB '*[^0-9a-f]*'),  -- 32 hexadecimal digits, the same wherever the run is merged to; of runs of one second it has the order
  device_id INTEGER NOT NULL REFERENCES device (id),
  system TEXT NOT NULL,  -- a folder of kernel_templates
  experiment TEXT NOT NULL,
  shard TEXT,  -- 'K/N': part K of N of the configurations, which is what its plan has; NULL: the whole
  configurations INTEGER CHECK (configurations >= 0),  -- of the whole experiment, where it took a part; NULL: it did not, or searched
  question TEXT NOT NULL,
  metric TEXT NOT NULL,  -- 'time', '<work quantity>_per_second', or where it is an expression a name of its own
  metric_expression TEXT,  -- the expression; NULL: what the name says
  metric_unit TEXT,  -- of the expression, for readers
  maximise INTEGER NOT NULL CHECK (maximise IN (0, 1)),  -- 1: more is better
  spec_file TEXT NOT NULL,
  spec_hash TEXT NOT NULL,
  -- of the manifest, and of the sources of the experiment's variants and of what they are verified against; NULL: not known
  system_hash TEXT,
  fresh INTEGER NOT NULL CHECK (fresh IN (0, 1)),  -- 1: once done, supersedes all earlier runs of the experiment here
  started_at TEXT NOT NULL,  -- UTC
  finished_at TEXT,
  status TEXT NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'interrupted', 'failed')),
  host TEXT NOT NULL,
  machine TEXT,  -- its name in the network; NULL: not known
  driver TEXT NOT NULL,  -- CUDA version and driver
  compiler TEXT NOT NULL,  -- of CUDA templates
  host_compiler TEXT NOT NULL,  -- of host variants, and of templates on the CPU device
  project_commit TEXT NOT NULL,
  tailwave_version TEXT NOT NULL,
  sandbox TEXT,  -- what confined compilers and kernels: 'Landlock 7, seccomp', or why not both; NULL: not known
  clocks TEXT CHECK (clocks IS NULL OR json_valid(clocks)),  -- what NVML said when the run began
  seed INTEGER,  -- of the order of configurations; NULL: in the order of the spec
  draw INTEGER,  -- of the random inputs that were verified, the first of two; NULL: 0
  occupancy_device TEXT NOT NULL,  -- what occupancy and waves were computed for; '' for nothing
  recorded_from TEXT,  -- the file this run was imported from; NULL: it was measured
  merged_from TEXT,  -- the database that it was measured or imported into, as it was named when that was merged; NULL: this one
  -- last, since what comes behind long texts is slow to read
  defaults TEXT CHECK (defaults IS NULL OR json_valid(defaults)),  -- variant -> its parameters as the manifest has them; NULL: not known
  spec_text TEXT NOT NULL,  -- the experiment as it was read
  CHECK ((status = 'running') = (finished_at IS NULL))
) STRICT;
-- The runs of a series, an experiment on a device, by age without reading their specs.
CREATE INDEX run_by_series ON run (experiment, system, device_id, started_at, identity, fresh, shard);

-- Variant, parameters and problem: one point of a space.
CREATE TABLE configuration (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,  -- system/variant/NAME:value/...
  system TEXT NOT NULL,
  variant TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK (json_valid(parameters)),  -- name -> value
  problem TEXT NOT NULL CHECK (json_valid(problem))  -- name -> value
) STRICT;

-- The configurations that the experiment had when it was run; trials of others are no longer current. Of a shard its own,
-- and of a search what its database knew: there trials of other runs with the same spec are current, too (current_trial).
CREATE TABLE run_plan (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  PRIMARY KEY (run_id, configuration_id)
) STRICT, WITHOUT ROWID;

-- A condition under which a run measured the best configurations of its experiment again, to see whether the winner
-- holds. The trials of such a run, each in a regime, count for that alone: for the experiment it is no run.
CREATE TABLE regime (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),  -- in the order in which they were asked for
  name TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('isolated', 'batched', 'graph')),
  cache TEXT NOT NULL CHECK (cache IN ('hot', 'cold', 'rotate')),
  fills TEXT NOT NULL CHECK (json_valid(fills)),  -- buffer -> what it begins with, in words; {}: as the manifest says
  own INTEGER NOT NULL CHECK (own IN (0, 1)),  -- 1: as the experiment itself measures
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

-- A configuration that a run measured in each of its regimes. Those of a problem are stored together with all their
-- trials.
CREATE TABLE regime_finalist (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  place INTEGER NOT NULL CHECK (place >= 1),  -- among the experiment's correct configurations of its problem; 1: the winner
  reason TEXT NOT NULL CHECK (reason IN ('winner', 'default', 'variant', 'tied', 'near', 'next')),
  PRIMARY KEY (run_id, configuration_id)
) STRICT, WITHOUT ROWID;

-- Where the wall-clock time of a run went.
CREATE TABLE run_phase (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  phase TEXT NOT NULL CHECK (phase IN ('wait', 'load', 'verify', 'measure', 'store', 'total')),
  seconds REAL NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;

-- The configurations that a run measures once a block: how their times move is the drift of the device. On one device it is
-- one; on several one on each, a few taking turns.
CREATE TABLE drift_sample (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  device_id INTEGER NOT NULL REFERENCES device (id),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  block INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  time_ns REAL NOT NULL CHECK (time_ns >= 0),
  sm_clock_mhz REAL,
  temperature_c REAL,
  PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;

-- How many times as long as the first GPU of a run another one of its GPUs takes: the median of the ratios of the
-- configurations that each of them measured in a block (drift_sample), with the interval of 95 %. What trials on it cost is
-- divided by it before it is held beside the cost of others.
CREATE TABLE gpu_factor (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  device_id INTEGER NOT NULL REFERENCES device (id),
  factor REAL NOT NULL CHECK (factor > 0),
  low REAL CHECK (low <= factor), high REAL CHECK (high >= factor),  -- NULL: too few ratios
  ratios INTEGER NOT NULL CHECK (ratios >= 1),
  PRIMARY KEY (run_id, device_id)
) STRICT, WITHOUT ROWID;

-- A compiled artifact, by the content of all that went into it.
CREATE TABLE build (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,  -- content hash of all that went in
  compiler TEXT NOT NULL,
  target TEXT NOT NULL,  -- sm_90, cpu, host or library; program or reporting_program
  options TEXT NOT NULL,
  code_hash TEXT NOT NULL,  -- of the machine code
  log TEXT NOT NULL  -- what the compiler said
) STRICT;

-- One configuration in one run, or in one of its regimes: its outcome, and the work of one execution. Only a correct
-- one has samples.
CREATE TABLE trial (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  device_id INTEGER NOT NULL REFERENCES device (id),  -- where it ran: the host for a host variant of a GPU run
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  build_id INTEGER REFERENCES build (id),
  key TEXT NOT NULL,  -- content hash of all that decides the result
  outcome TEXT NOT NULL CHECK (outcome IN (
    'correct', 'compile_error', 'compile_timeout', 'exceeds_device_limit', 'launch_failed', 'illegal_access', 'timeout',
    'out_of_memory', 'wrong_result', 'faster_than_possible', 'crashed', 'unavailable', 'skipped_identical', 'given_up')),
  detail TEXT,  -- why it is not correct
  unverified TEXT,  -- why nothing says whether its results are right; NULL: they were verified
  timer TEXT,  -- cuda_event or steady_clock; of programs process or self-reported
  mode TEXT,  -- isolated, batched or graph
  stopped_by TEXT,  -- samples, or the limit that ended sampling
  at_least_ns REAL,  -- of one that was given up: what an execution takes at least, which is never ranked
  same_as TEXT,  -- configuration of this or an earlier run (view identical_trial) with the same code and launches
  work TEXT NOT NULL CHECK (json_valid(work)),  -- quantities per execution
  kernel_output TEXT,  -- what its code printed: the beginning, control characters as \x1b, and how much followed
  verify_seconds REAL,  -- of its verification, with loading code and inputs
  measure_seconds REAL,
  build_seconds REAL,
  build_from_cache INTEGER CHECK (build_from_cache IN (0, 1)),  -- 1: nothing was compiled
  regime TEXT,  -- in which it was measured; NULL: as the experiment says
  finished_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  FOREIGN KEY (run_id, regime) REFERENCES regime (run_id, name),
  CHECK (outcome = 'correct' OR (timer IS NULL AND stopped_by IS NULL)),
  CHECK ((outcome = 'given_up') = (at_least_ns IS NOT NULL)),
  CHECK (at_least_ns > 0),
  CHECK ((build_id IS NULL) = (build_seconds IS NULL)),
  CHECK ((build_id IS NULL) = (build_from_cache IS NULL))
) STRICT;
CREATE UNIQUE INDEX trial_once ON trial (run_id, configuration_id, coalesce(regime, ''));
CREATE INDEX trial_by_configuration ON trial (configuration_id, run_id, regime);
CREATE INDEX trial_by_key ON trial (key);

-- What the repetitions so far have left of a configuration that has others to come: the next run goes on there. Gone
-- once its trial is stored.
CREATE TABLE unfinished_trial (
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  key TEXT NOT NULL,  -- as in trial
  program TEXT NOT NULL,  -- the identity of the tailwave that wrote it, which alone can read it
  repetitions INTEGER NOT NULL CHECK (repetitions >= 1),  -- so far
  contents BLOB NOT NULL,
  PRIMARY KEY (key, run_id)
) STRICT, WITHOUT ROWID;

-- One kernel launch of a trial's plan: its shape, its resources, and the occupancy and waves computed from them. One in a
-- loop is one row, as it is the first time.
CREATE TABLE launch (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  kernel TEXT NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  -- launches in one execution; in a loop that ends on a value, the most there can be
  count INTEGER NOT NULL DEFAULT 1 CHECK (count >= 1),
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
  sms_asked INTEGER CHECK (sms_asked >= 1),  -- multiprocessors that the manifest has it run on; NULL: all
  sms_granted INTEGER CHECK (sms_granted >= sms_asked),  -- those that the device gave it; NULL: all, or not known
  -- blocks of a cluster in x, y and z; NULL: there are no clusters
  cluster_x INTEGER CHECK (cluster_x >= 1), cluster_y INTEGER, cluster_z INTEGER,
  active_clusters INTEGER CHECK (active_clusters >= 0),  -- that run at once, computed for occupancy_device
  driver_active_clusters INTEGER CHECK (driver_active_clusters >= 0),  -- the same as the driver answered
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
  sequence INTEGER,  -- order among all samples of the run, drift samples included
  sm_clock_mhz REAL,  -- right after the sample: clock64 against globaltimer
  temperature_c REAL,  -- latest reading of NVML
  throttle_reasons TEXT,  -- latest reading of NVML, joined by "+", or "none"
  -- other than tailwave's, with a context on the GPU: latest reading of NVML; on the CPU device: that ran in the place of its
  -- threads; NULL: not known
  other_processes INTEGER CHECK (other_processes >= 0),
  metric_value REAL,  -- of the run's metric, where that is an expression: what this sample gives
  reported TEXT CHECK (reported IS NULL OR json_valid(reported)),  -- numbers that a program said of it beside its time, by name; NULL: none
  PRIMARY KEY (trial_id, repetition, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sample_of_correct_trial BEFORE INSERT ON sample
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'correct'
BEGIN SELECT raise(ABORT, 'only a correct trial has samples');
END;

CREATE TRIGGER timed_trial_stays_correct BEFORE UPDATE OF outcome ON trial
WHEN NEW.outcome <> 'correct' AND EXISTS (SELECT 1 FROM sample WHERE trial_id = NEW.id)
BEGIN SELECT raise(ABORT, 'only a correct trial has samples');
END;

-- One buffer compared with the reference.
CREATE TABLE verification (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('before', 'while', 'after', 'again')),  -- while: in a sample; again: after all
  other_problem TEXT,  -- of another problem, in what it differs: "N = 1"; NULL: of the configuration's own
  buffer TEXT NOT NULL,
  norm TEXT NOT NULL,  -- of the manifest
  error REAL,  -- NULL: not a number
  tolerance REAL NOT NULL,
  passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
  detail TEXT,  -- the worst element
  PRIMARY KEY (trial_id, position)
) STRICT, WITHOUT ROWID;

-- The least time of a trial's execution by each limit of its manifest.
CREATE TABLE time_limit (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  time_ns REAL NOT NULL CHECK (time_ns >= 0),  -- an execution takes at least this long
  PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

-- The metrics of a correct trial whose experiment has several, or one by an expression: the median of what its samples
-- give, with the 95 % interval. Worked out from what is stored when the trial is, and again when more is known of it
-- (counters, energy) or the spec says something else.
CREATE TABLE trial_metric (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),  -- in the experiment's list; 0: what is optimised
  name TEXT NOT NULL,
  unit TEXT NOT NULL,  -- '' for none; a time is in 's', a rate in '<work>/s'
  maximise INTEGER NOT NULL CHECK (maximise IN (0, 1)),  -- 1: more is better
  objective INTEGER NOT NULL CHECK (objective IN (0, 1)),  -- 1: one of those whose Pareto front is asked for
  -- 1: worked out from what programs report of themselves beside their time
  self_reported INTEGER NOT NULL DEFAULT 0 CHECK (self_reported IN (0, 1)),
  value REAL,
  low REAL,
  high REAL,
  missing TEXT,  -- why there is no value
  PRIMARY KEY (trial_id, position),
  CHECK ((value IS NULL) = (missing IS NOT NULL)),
  CHECK ((value IS NULL) = (low IS NULL) AND (value IS NULL) = (high IS NULL))
) STRICT, WITHOUT ROWID;

-- What the GPU took of energy while a correct trial's configuration was executed back to back for some seconds. Its counter
-- goes up in steps: joules are those between two steps that lie counted_s apart. Energy of an execution is joules /
-- counted_s * window_s / executions.
CREATE TABLE trial_energy (
  trial_id INTEGER PRIMARY KEY REFERENCES trial (id) ON DELETE CASCADE,
  executions INTEGER NOT NULL CHECK (executions >= 0),  -- in the window
  window_s REAL NOT NULL,  -- from the first one's begin to the last one's end
  counted_s REAL NOT NULL,
  joules REAL NOT NULL,  -- of the whole GPU
  sm_clock_low_mhz REAL,  -- in the window, as NVML said
  sm_clock_high_mhz REAL,
  temperature_c REAL,  -- at its end
  power_limit_w REAL,
  throttle_reasons TEXT,  -- all that were seen, joined by "+", or "none"
  missing TEXT,  -- why nothing was measured; then the other columns mean nothing
  CHECK (missing IS NOT NULL OR (executions >= 1 AND window_s > 0 AND counted_s > 0))
) STRICT;

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

-- An experiment on a device with so many trials that what the views current_trial and ranked_trial say of them is kept, and what
-- the test of `query best` comes to. Once something changes that they read, which triggers see, it is stale and no longer used.
CREATE TABLE ranking (
  id INTEGER PRIMARY KEY,
  system TEXT NOT NULL,
  experiment TEXT NOT NULL,
  run_device TEXT NOT NULL,
  run_kind TEXT NOT NULL,
  trials INTEGER NOT NULL CHECK (trials >= 0),  -- that count
  correct INTEGER NOT NULL CHECK (correct >= 0),  -- of these
  stale INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),
  UNIQUE (system, experiment, run_device, run_kind)
) STRICT;

-- A trial that counts there. Without a value it has no place.
CREATE TABLE ranking_trial (
  ranking_id INTEGER NOT NULL REFERENCES ranking (id) ON DELETE CASCADE,
  trial_id INTEGER NOT NULL UNIQUE REFERENCES trial (id) ON DELETE CASCADE,
  peers INTEGER NOT NULL,
  best_id INTEGER,  -- the trial in the first place of those that this one is ranked among
  value REAL,
  place INTEGER CHECK (place >= 1),
  place_from_worst INTEGER CHECK (place_from_worst >= 1),
  of_ranked INTEGER CHECK (of_ranked >= 1),
  standing TEXT CHECK (standing IN ('best', 'tied', 'unclear', 'slower')),  -- with a margin of 1 %; NULL: not worked out
  to_best REAL,  -- of what it costs to what the best does
  to_best_low REAL,  -- of its interval of 95 %; NULL: slower, and not among the first 100
  to_best_high REAL,
  PRIMARY KEY (ranking_id, trial_id)
) STRICT, WITHOUT ROWID;

-- A run that searched.
CREATE TABLE search (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  strategy TEXT NOT NULL,
  options TEXT NOT NULL CHECK (json_valid(options)),
  seed INTEGER NOT NULL,  -- all 64 bits: from 2^63 on it is negative
  budget_evaluations INTEGER CHECK (budget_evaluations >= 0),  -- NULL: none was given
  budget_seconds REAL,
  until TEXT,  -- what else ends it, "1%:3%": when 1 % more has a probability below 3 %; NULL: nothing
  space_size INTEGER NOT NULL CHECK (space_size >= 0),  -- valid configurations of the problem that was searched
  pruned INTEGER NOT NULL CHECK (pruned >= 0),  -- of them known to be impossible before anything was compiled
  configurations INTEGER NOT NULL CHECK (configurations >= 0),  -- of all problems and variants, less the impossible ones
  stopped_by TEXT CHECK (stopped_by IN ('budget', 'space', 'interrupt', 'strategy', 'until')),  -- NULL: still running, or killed
  final_run_id INTEGER REFERENCES run (id) ON DELETE SET NULL  -- in which the leaders were measured again
) STRICT;

-- Evaluations in the order of their results.
CREATE TABLE search_step (
  run_id INTEGER NOT NULL REFERENCES search (run_id) ON DELETE CASCADE,
  step INTEGER NOT NULL CHECK (step >= 1),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  cost REAL,               -- as the strategy was told; NULL: failed, or given up (it was told the least cost)
  seconds REAL NOT NULL,   -- since the run began
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

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
  noted_one_in INTEGER NOT NULL CHECK (noted_one_in >= 1),  -- blocks that note, but for the last ones, which all do; 1: all
  duration_ns INTEGER NOT NULL CHECK (duration_ns >= 0),  -- from the first block's start to the last one's end, noted or not
  count INTEGER NOT NULL DEFAULT 1 CHECK (count >= 1),  -- as in launch
  -- blocks of clusters that run at once: active clusters * blocks of one; NULL: there are no clusters, and sms * blocks_per_sm do
  cluster_slots INTEGER CHECK (cluster_slots >= 1),
  PRIMARY KEY (trace_id, position)
) STRICT, WITHOUT ROWID;

-- One block of a traced launch that noted where and when it ran.
CREATE TABLE block_trace (
  trace_id INTEGER NOT NULL REFERENCES trace (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  block INTEGER NOT NULL CHECK (block >= 0),  -- x fastest
  sm INTEGER NOT NULL CHECK (sm >= 0),
  start_ns INTEGER NOT NULL CHECK (start_ns >= 0),  -- since the first block of the launch began
  end_ns INTEGER NOT NULL CHECK (end_ns >= start_ns),  -- of its last warp
  left_ns INTEGER NOT NULL CHECK (left_ns BETWEEN start_ns AND end_ns),  -- the mean of its warps' ends
  weight REAL NOT NULL CHECK (weight >= 1),  -- blocks that it stands for, itself included
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
  -- where the code had to be changed so that blocks see the whole grid: the share by which that changes the full grid's time
  cut_change REAL,
  recorded_from TEXT,
  cluster_slots INTEGER CHECK (cluster_slots >= 1)  -- as in trace_launch
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

-- A configuration timed with the launches of its plan on several numbers of multiprocessors; verified on each.
CREATE TABLE sm_curve (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device (id),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  system TEXT NOT NULL,
  experiment TEXT NOT NULL,
  measured_at TEXT NOT NULL,
  driver TEXT NOT NULL,
  compiler TEXT NOT NULL,
  project_commit TEXT NOT NULL,
  position INTEGER NOT NULL,  -- of the main launch in the manifest's plan; the following are its
  kernel TEXT NOT NULL,
  grid INTEGER NOT NULL CHECK (grid >= 1),  -- blocks
  block_threads INTEGER NOT NULL CHECK (block_threads >= 1),
  blocks_per_sm INTEGER NOT NULL CHECK (blocks_per_sm >= 1),  -- as the driver says; on the CPU device a block takes a core
  recorded_from TEXT
) STRICT;
CREATE INDEX sm_curve_by_configuration ON sm_curve (configuration_id);

-- One timed sample of an execution on some multiprocessors.
CREATE TABLE sm_sample (
  curve_id INTEGER NOT NULL REFERENCES sm_curve (id) ON DELETE CASCADE,
  sms_asked INTEGER NOT NULL CHECK (sms_asked >= 0),  -- 0: the device as a whole
  sms INTEGER NOT NULL CHECK (sms >= 1),  -- that the device gave; cores of a CPU
  position INTEGER NOT NULL CHECK (position >= 0),
  time_ns REAL NOT NULL CHECK (time_ns >= 0),  -- per execution
  cluster_slots INTEGER CHECK (cluster_slots >= 1),  -- as in trace_launch, on these SMs
  PRIMARY KEY (curve_id, sms_asked, position)
) STRICT, WITHOUT ROWID;

-- Hardware counters of one configuration, counted or imported once. A counted execution is never a time.
CREATE TABLE counter_run (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device (id),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  system TEXT NOT NULL,
  experiment TEXT NOT NULL,
  method TEXT NOT NULL CHECK (method IN ('range_profiler', 'ncu')),  -- CUPTI in tailwave's process; Nsight Compute
  metric_set TEXT NOT NULL CHECK (metric_set IN ('default', 'quick', 'chosen', 'imported')),
  counted_at TEXT NOT NULL,
  driver TEXT NOT NULL,
  compiler TEXT NOT NULL,
  project_commit TEXT NOT NULL,
  code_hash TEXT,  -- of the machine code that was counted, as in build; NULL: not known
  chip TEXT,  -- as CUPTI calls it: 'GH100'
  passes INTEGER CHECK (passes >= 1),  -- executions of each launch that it took
  time_ns REAL CHECK (time_ns > 0),  -- median of executions of the plan without counters; NULL: not known
  ends_on_value INTEGER NOT NULL CHECK (ends_on_value IN (0, 1)),  -- 1: a loop does, and counts of launches are the most
  left_out TEXT,  -- metrics that the chip lacks, joined by blanks
  remark TEXT,  -- what else a reader has to know
  recorded_from TEXT  -- the file this was imported from; NULL: counted into this database
) STRICT;
CREATE INDEX counter_run_by_configuration ON counter_run (configuration_id);

-- A launch of such a plan, one for all of the same kernel, grid and block: as it is when it takes place for the first
-- time, and on the first of several GPUs.
CREATE TABLE counted_launch (
  counter_run_id INTEGER NOT NULL REFERENCES counter_run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),  -- in the manifest's plan
  kernel TEXT NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 1),  -- of such launches in one execution, at most
  PRIMARY KEY (counter_run_id, position)
) STRICT, WITHOUT ROWID;

-- What a counter of a launch said, by the names that CUPTI and Nsight Compute have.
CREATE TABLE counter_value (
  counter_run_id INTEGER NOT NULL REFERENCES counter_run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  value REAL,  -- NULL: it was not a number
  unit TEXT NOT NULL,
  doubt TEXT,  -- why it cannot be true, as 'negative' or 'above 100 %'; NULL: it can
  PRIMARY KEY (counter_run_id, position, metric)
) STRICT, WITHOUT ROWID;

-- What a configuration's plan did over time: one execution, as the GPU recorded it. Never a time.
CREATE TABLE timeline (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device (id),
  configuration_id INTEGER NOT NULL REFERENCES configuration (id),
  system TEXT NOT NULL,
  experiment TEXT NOT NULL,
  observed_at TEXT NOT NULL,
  driver TEXT NOT NULL,
  compiler TEXT NOT NULL,
  project_commit TEXT NOT NULL,
  code_hash TEXT,  -- of the machine code that ran, as in build; NULL: not known
  time_ns REAL NOT NULL CHECK (time_ns > 0),  -- median of executions of the plan that were timed, not recorded
  executions INTEGER NOT NULL CHECK (executions >= 1),  -- that were recorded; this is the one of median length
  found INTEGER NOT NULL CHECK (found >= 1),  -- records of it, of which the first 10000 are kept
  remark TEXT,  -- what else a reader has to know
  recorded_from TEXT  -- the file this was imported from; NULL: recorded into this database
) STRICT;
CREATE INDEX timeline_by_configuration ON timeline (configuration_id);

-- A kernel, a copy between memories or a fill of memory in such an execution.
CREATE TABLE timeline_record (
  timeline_id INTEGER NOT NULL REFERENCES timeline (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),  -- in the order of their begins
  kind TEXT NOT NULL CHECK (kind IN ('kernel', 'copy', 'fill')),
  name TEXT NOT NULL,  -- of a kernel the manifest's, or else its function's; of a copy 'host to device'
  position INTEGER CHECK (position >= 0),  -- in the manifest's plan, of the first launch with this kernel, grid and block
  gpu INTEGER NOT NULL,  -- of those that the plan uses, the first is 0; of a processing element its number
  stream INTEGER NOT NULL CHECK (stream >= 0),  -- the manifest's, unless the remark says that streams are numbered as they appear
  begin_ns INTEGER NOT NULL CHECK (begin_ns >= 0),  -- since the first record began
  end_ns INTEGER NOT NULL CHECK (end_ns >= begin_ns),
  bytes INTEGER CHECK (bytes >= 0),  -- of a copy or a fill
  PRIMARY KEY (timeline_id, number)
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

-- `main` of the manifests, as of the latest run, trace or import; of a variant without rows any launch may be the main one.
CREATE TABLE main_kernel (
  system TEXT NOT NULL,
  variant TEXT NOT NULL,
  kernel TEXT NOT NULL,
  PRIMARY KEY (system, variant, kernel)
) STRICT, WITHOUT ROWID;

-- `requires` of the manifests, as of the latest run, trace or import; a variant without a row is made for all problems.
CREATE TABLE variant_domain (
  system TEXT NOT NULL,
  variant TEXT NOT NULL,
  requires TEXT NOT NULL,  -- an expression over problem and parameters
  PRIMARY KEY (system, variant)
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
  budget_seconds REAL,  -- what so many take in the mean, built and measured one after the other; NULL: not recorded
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
  score_by_time REAL,  -- over the seconds of the budget; NULL: not recorded
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

-- What makes rankings stale: anything of a run that current_trial, trial_rate or sample_cost read. What devices, configurations and
-- builds are never changes.
CREATE TRIGGER ranking_of_new_run AFTER INSERT ON run BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN (NEW.experiment);
END;
CREATE TRIGGER ranking_of_changed_run AFTER UPDATE
  OF device_id, system, experiment, metric, metric_expression, maximise, fresh, started_at, identity, status, spec_hash, shard, merged_from ON run BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN (OLD.experiment, NEW.experiment);
END;
CREATE TRIGGER ranking_of_deleted_run BEFORE DELETE ON run BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN (OLD.experiment);
END;
CREATE TRIGGER ranking_of_new_run_plan AFTER INSERT ON run_plan BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_deleted_run_plan BEFORE DELETE ON run_plan BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = OLD.run_id));
END;
CREATE TRIGGER ranking_of_new_gpu_factor AFTER INSERT ON gpu_factor BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_changed_gpu_factor AFTER UPDATE ON gpu_factor BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_deleted_gpu_factor BEFORE DELETE ON gpu_factor BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = OLD.run_id));
END;
CREATE TRIGGER ranking_of_new_search AFTER INSERT ON search BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_changed_search AFTER UPDATE ON search BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_deleted_search BEFORE DELETE ON search BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = OLD.run_id));
END;
CREATE TRIGGER ranking_of_new_regime AFTER INSERT ON regime BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_deleted_regime BEFORE DELETE ON regime BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = OLD.run_id));
END;
CREATE TRIGGER ranking_of_new_trial AFTER INSERT ON trial BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_changed_trial AFTER UPDATE
  OF run_id, device_id, configuration_id, build_id, outcome, detail, unverified, timer, mode, work, regime ON trial BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = NEW.run_id));
END;
CREATE TRIGGER ranking_of_deleted_trial BEFORE DELETE ON trial BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run WHERE id = OLD.run_id));
END;
CREATE TRIGGER ranking_of_new_sample AFTER INSERT ON sample BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = NEW.trial_id));
END;
CREATE TRIGGER ranking_of_changed_sample AFTER UPDATE ON sample BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = NEW.trial_id));
END;
CREATE TRIGGER ranking_of_deleted_sample BEFORE DELETE ON sample BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = OLD.trial_id));
END;
CREATE TRIGGER ranking_of_new_trial_metric AFTER INSERT ON trial_metric BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = NEW.trial_id));
END;
CREATE TRIGGER ranking_of_changed_trial_metric AFTER UPDATE ON trial_metric BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = NEW.trial_id));
END;
CREATE TRIGGER ranking_of_deleted_trial_metric BEFORE DELETE ON trial_metric BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = OLD.trial_id));
END;
CREATE TRIGGER ranking_of_new_measurement AFTER INSERT ON measurement BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = NEW.trial_id));
END;
CREATE TRIGGER ranking_of_changed_measurement AFTER UPDATE ON measurement BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = NEW.trial_id));
END;
CREATE TRIGGER ranking_of_deleted_measurement BEFORE DELETE ON measurement BEGIN
  UPDATE ranking SET stale = 1
  WHERE NOT stale AND experiment IN ((SELECT experiment FROM run JOIN trial ON run_id = run.id WHERE trial.id = OLD.trial_id));
END;
