-- About 1,000,000 trials in 50 experiments, for benchmarks: sweeps that were run again and again on three GPUs, large
-- tunings, some of them by search, and spaces that another tuner recorded. Made by arithmetic, so that it is the same
-- everywhere. The numbers mean nothing; their spread is a tuner's: configurations differ several-fold, runs by 1 %, samples
-- by 0.5 %, and a tenth fails.

CREATE TEMP TABLE made (id INTEGER PRIMARY KEY, system TEXT, experiment TEXT, shape TEXT, size INTEGER, runs INTEGER, metric TEXT);
INSERT INTO made
WITH RECURSIVE counted (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted WHERE i < 49)
SELECT i + 1,
  CASE WHEN i < 30 THEN json_extract('["nbody","jacobi","particles","plasma","stencil","sort"]', '$[' || (i % 6) || ']')
    ELSE 'space_' || (i - 29) END,
  printf('%s_%02d', CASE WHEN i < 24 THEN 'sweep' WHEN i < 30 THEN 'tuned' ELSE 'recorded' END, i + 1),
  CASE WHEN i < 24 THEN 'sweep' WHEN i < 30 THEN 'tuned' ELSE 'recorded' END,
  CASE WHEN i < 24 THEN 200 WHEN i < 30 THEN 6000 ELSE 25000 END,
  CASE WHEN i < 24 THEN 20 WHEN i < 30 THEN 2 ELSE 1 END,
  iif(i % 2 AND i < 30, 'points_per_second', 'time')
FROM counted;

-- Spreads the whole numbers over 0 to 1: a multiplicative hash (Knuth, The Art of Computer Programming, 6.4) whose upper half
-- is squared.
CREATE TEMP TABLE point (made_id INTEGER, number INTEGER, configuration_id INTEGER, cost_ns REAL, fate REAL, block INTEGER,
  grid INTEGER, PRIMARY KEY (made_id, number)) WITHOUT ROWID;
INSERT INTO configuration (name, system, variant, parameters, problem)
WITH RECURSIVE
  counted (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted WHERE i < 24999),
  digits AS (
    SELECT i, (1 << i % 5) * 32 AS block_size, 1 << i / 5 % 5 AS stride, 1 << i / 25 % 4 AS unroll, i / 100 % 2 AS fast,
      i / 200 % 30 AS tile, i / 6000 % 5 AS vector
    FROM counted)
SELECT printf('%s/made_%d/BLOCK_SIZE:%d/BLOCK_STRIDE:%d/FAST_MATH:%s/TILE:%d/UNROLL:%d/VECTOR:%d/N:4096', system, id, block_size,
    stride, iif(fast, 'true', 'false'), tile, unroll, vector),
  system, 'made_' || id,
  printf('{"BLOCK_SIZE":%d,"BLOCK_STRIDE":%d,"FAST_MATH":%s,"TILE":%d,"UNROLL":%d,"VECTOR":%d}', block_size, stride,
    iif(fast, 'true', 'false'), tile, unroll, vector), '{"N":4096}'
FROM made JOIN digits ON i < size
ORDER BY id, i;
INSERT INTO point
SELECT id, number, configuration_id,
  1e4 * (1 + spread * 8 + number % 7) * (1 + number / 200 % 5 * 0.2), fate, (1 << number % 5) * 32, 4096 / (1 << number % 5)
FROM (
  SELECT *, ((hash >> 8) * (hash >> 8) >> 12 & 65535) / 65536.0 AS spread, (hash >> 4 & 65535) / 65536.0 AS fate FROM (
    SELECT made.id, configuration.id AS configuration_id, configuration.id * 2654435761 & 4294967295 AS hash,
      row_number() OVER (PARTITION BY made.id ORDER BY configuration.id) - 1 AS number
    FROM made JOIN configuration ON configuration.system = made.system AND variant = 'made_' || made.id));

INSERT INTO device (kind, name, uuid, compute_capability, sms, memory_bytes, clock_mhz, memory_clock_mhz, properties)
VALUES ('cuda', 'Made GPU 1', '1', 80, 108, 1, 1, 1, '{}'), ('cuda', 'Made GPU 2', '2', 90, 132, 1, 1, 1, '{}'),
  ('cuda', 'Made GPU 3', '3', 70, 80, 1, 1, 1, '{}'), ('recorded', 'Recorded GPU 1', '', 0, 0, 0, 0, 0, '{}'),
  ('recorded', 'Recorded GPU 2', '', 0, 0, 0, 0, 0, '{}');

INSERT INTO run (identity, device_id, system, experiment, question, metric, maximise, spec_file, spec_hash, spec_text, fresh, started_at,
  finished_at, status, host, driver, compiler, host_compiler, project_commit, tailwave_version, occupancy_device, recorded_from)
WITH RECURSIVE counted (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < 20)
SELECT printf('%012x%08x%012x', i, made.id, device.id), device.id, system, experiment, 'Which configuration is the fastest?', metric, metric <> 'time', 'made.json', 'made', '{}', 0,
  strftime('%Y-%m-%dT%H:%M:%SZ', '2025-01-01', '+' || (24 * i) || ' hours', '+' || (made.id * 60 + device.id) || ' seconds'),
  strftime('%Y-%m-%dT%H:%M:%SZ', '2025-01-02', '+' || (24 * i) || ' hours'), 'done', 'made', '580.1', 'NVRTC 13.0', '',
  printf('%07x', i), '0.1.0', iif(shape = 'recorded', '', 'h200'), iif(shape = 'recorded', 'made.json', NULL)
FROM made JOIN counted ON i <= runs
  JOIN device ON CASE shape WHEN 'recorded' THEN device.name = 'Recorded GPU ' || (made.id % 2 + 1)
                   ELSE device.name GLOB 'Made GPU *' END
ORDER BY i, made.id, device.id;

CREATE TEMP TABLE made_run AS
SELECT run.id AS run_id, made.id AS made_id, shape, device_id, device.name AS device, sms FROM run
  JOIN made ON made.system = run.system AND made.experiment = run.experiment
  JOIN device ON device.id = run.device_id;

INSERT INTO run_plan
SELECT run_id, configuration_id FROM made_run JOIN point USING (made_id) WHERE shape <> 'recorded';

INSERT INTO build (key, compiler, target, options, code_hash, log)
SELECT 'made ' || configuration_id, 'NVRTC 13.0', 'sm_90', '', printf('%016x', configuration_id), '' FROM point
WHERE made_id IN (SELECT id FROM made WHERE shape <> 'recorded');

INSERT INTO trial (run_id, device_id, configuration_id, build_id, key, outcome, detail, timer, mode, stopped_by, work,
  build_seconds, build_from_cache, finished_at)
SELECT run_id, device_id, configuration_id, build.id, printf('%032x', configuration_id * 8 + device_id), outcome,
  iif(outcome = 'correct', NULL, 'made to fail'), iif(outcome = 'correct', 'cuda_event', NULL), 'isolated',
  iif(outcome = 'correct', 'samples', NULL), '{"points":16777216}', iif(build.id IS NULL, NULL, 0.1),
  iif(build.id IS NULL, NULL, 1), '2025-01-01T00:00:00.000Z'
FROM (
  SELECT *, CASE WHEN fate < 0.9 THEN 'correct' WHEN fate < 0.95 THEN 'exceeds_device_limit' WHEN fate < 0.98 THEN 'compile_error'
              ELSE 'wrong_result' END AS outcome
  FROM made_run JOIN point USING (made_id))
  LEFT JOIN build ON build.key = 'made ' || configuration_id
ORDER BY run_id, configuration_id;

CREATE TEMP TABLE timed AS
SELECT trial.id AS trial_id, shape, number, grid, block, sms, trial.outcome,
  cost_ns * (0.8 + 0.1 * (point.configuration_id * trial.device_id % 5)) * (1 + 0.01 * (trial.id * 7919 % 101 - 50) / 50.0) AS time_ns
FROM made_run JOIN trial USING (run_id)
  JOIN point ON point.made_id = made_run.made_id AND point.configuration_id = trial.configuration_id;

INSERT INTO launch (trial_id, position, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes, registers,
  spill_bytes, stack_bytes, barriers, max_threads, static_shared_bytes, occupancy_device, blocks_per_sm, occupancy, limiter,
  limit_registers, limit_shared_memory, limit_warps, limit_blocks, waves, full_waves, tail_fraction, quantisation_efficiency,
  active_sms, driver_blocks_per_sm)
SELECT trial_id, 0, 'made', grid, 1, 1, block, 1, 1, 0, 32 + number % 64, 0, 0, 1, 0, 0, 'h200', blocks, 0.5, 'registers', blocks, 32,
  64, 32, waves, CAST(waves AS INTEGER), waves - CAST(waves AS INTEGER), 0.9, min(grid, sms), blocks
FROM (SELECT *, 1.0 * grid / (sms * blocks) AS waves FROM (
  SELECT *, max(1, 512 / block) AS blocks FROM timed WHERE shape <> 'recorded' AND outcome = 'correct'));

INSERT INTO sample (trial_id, repetition, position, time_ns, executions, sequence, sm_clock_mhz, throttle_reasons)
WITH RECURSIVE counted (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted WHERE i < 9)
SELECT trial_id, 0, i, time_ns * (1 + 0.005 * ((trial_id * 31 + i * 17) * 7919 % 101 - 50) / 50.0), 1, trial_id * 10 + i, 1980, 'none'
FROM timed JOIN counted ON i < CASE shape WHEN 'sweep' THEN 5 + trial_id % 6 WHEN 'tuned' THEN 5 ELSE 5 * (number % 2) END
WHERE outcome = 'correct'
ORDER BY trial_id, i;

INSERT INTO measurement
SELECT trial_id, 'time', time_ns / 1e9, 's', 1 FROM timed WHERE shape = 'recorded' AND outcome = 'correct';

INSERT INTO verification
SELECT trial_id, 0, 'before', 'points', 'relative_l2', 1e-7, 1e-5, 1, NULL FROM timed WHERE shape <> 'recorded' AND outcome = 'correct';

-- The second run of two tunings searched.
INSERT INTO search (run_id, strategy, options, seed, budget_evaluations, space_size, pruned, configurations, stopped_by)
SELECT max(run_id), 'random', '{}', 1, 500, 6000, 0, 7000, 'budget' FROM made_run
WHERE shape = 'tuned' AND made_id < 27 GROUP BY made_id, device_id;
INSERT INTO search_step
SELECT search.run_id, number + 1, trial.configuration_id, iif(timed.outcome = 'correct', time_ns, NULL), number
FROM search JOIN trial ON trial.run_id = search.run_id JOIN timed ON timed.trial_id = trial.id WHERE number < 500;

DROP TABLE made; DROP TABLE point; DROP TABLE made_run; DROP TABLE timed;
