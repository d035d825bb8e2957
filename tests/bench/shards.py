#!/usr/bin/env python3
"""Makes the databases of the shards of one large experiment: shards.py FOLDER [--shards 100] [--trials 10000].

Each has one run of so many trials on a GPU of its own, with a launch and 30 samples each; a tenth fails. The numbers
mean nothing; they are made by arithmetic, so that they are the same everywhere.
"""
import argparse
import os
import pathlib
import sqlite3

SCHEMA = pathlib.Path(__file__).parents[2] / "harness/store/schema.sql"
APPLICATION = 0x746C7776  # harness/store/migrations.h

DEVICE = """
INSERT INTO device (kind, name, uuid, compute_capability, sms, memory_bytes, clock_mhz, memory_clock_mhz, properties)
VALUES ('cuda', 'Made GPU', 'GPU-' || :shard, 90, 132, 85899345920, 1980, 2619, '{}')"""

RUN = """
INSERT INTO run (identity, device_id, system, experiment, shard, configurations, question, metric, maximise, spec_file,
  spec_hash, spec_text, system_hash, fresh, started_at, finished_at, status, host, machine, driver, compiler, host_compiler,
  project_commit, tailwave_version, occupancy_device)
VALUES (printf('%012x%020x', 1767225600000 + :shard, :shard), 1, 'made', 'large', :shard || '/' || :shards, :shards * :trials,
  'Which configuration is the fastest?', 'time', 0, 'large.json', 'made', '{}', 'made', 0, '2026-01-01T00:00:00Z',
  '2026-01-01T01:00:00Z', 'done', 'made', 'node' || :shard, '580.1', 'NVRTC 13.0', 'g++ 12', 'made', '0.2.0', 'h100')"""

# The digits of a number, mixed in the base of 65536 (Knuth, The Art of Computer Programming, 6.4), choose cost and fate.
POINTS = """
CREATE TEMP TABLE point AS
WITH RECURSIVE counted (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted WHERE i < :trials - 1)
SELECT i + 1 AS id, i * :shards + :shard - 1 AS number,
  ((i * :shards + :shard) * 2654435761 >> 8 & 65535) / 65536.0 AS spread,
  ((i * :shards + :shard) * 2654435761 >> 4 & 65535) / 65536.0 AS fate
FROM counted"""

CONFIGURATIONS = """
INSERT INTO configuration (id, name, system, variant, parameters, problem)
SELECT id, printf('made/tile/BLOCK:%d/TILE:%d/UNROLL:%d/VECTOR:%d/N:4096', number % 32, number / 32 % 32, number / 1024 % 32,
    number / 32768),
  'made', 'tile', printf('{"BLOCK":%d,"TILE":%d,"UNROLL":%d,"VECTOR":%d}', number % 32, number / 32 % 32,
    number / 1024 % 32, number / 32768), '{"N":4096}'
FROM point"""

BUILDS = """
INSERT INTO build (id, key, compiler, target, options, code_hash, log)
SELECT id, printf('%032x', number * 2654435761 + 7), 'NVRTC 13.0', 'sm_90', '--std=c++17', printf('%032x', number), ''
FROM point"""

TRIALS = """
INSERT INTO trial (id, run_id, device_id, configuration_id, build_id, key, outcome, detail, timer, mode, stopped_by, work,
  build_seconds, build_from_cache, finished_at)
SELECT id, 1, 1, id, id, printf('%032x', number * 2654435761 + 11), outcome, iif(outcome = 'correct', NULL, 'made to fail'),
  iif(outcome = 'correct', 'cuda_event', NULL), 'isolated', iif(outcome = 'correct', 'samples', NULL), '{"points":16777216}',
  0.1, 0, strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || id || ' seconds')
FROM (SELECT *, CASE WHEN fate < 0.9 THEN 'correct' WHEN fate < 0.95 THEN 'exceeds_device_limit' ELSE 'compile_error' END AS outcome
      FROM point)"""

LAUNCHES = """
INSERT INTO launch (trial_id, position, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
  registers, spill_bytes, stack_bytes, barriers, max_threads, static_shared_bytes, occupancy_device, blocks_per_sm, occupancy,
  limiter, limit_registers, limit_shared_memory, limit_warps, limit_blocks, waves, full_waves, tail_fraction,
  quantisation_efficiency, active_sms, driver_blocks_per_sm)
SELECT id, 0, 'tile', 4096, 1, 1, 128, 1, 1, 0, 32 + number % 64, 0, 0, 1, 0, 0, 'h100', 8, 0.5, 'registers', 8, 32, 64, 32,
  4096 / 1056.0, 3, 0.88, 0.97, 132, 8 FROM point"""

SAMPLES = """
INSERT INTO sample (trial_id, repetition, position, time_ns, executions, sequence, sm_clock_mhz, temperature_c, throttle_reasons)
WITH RECURSIVE counted (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted WHERE i < :samples - 1)
SELECT trial.id, i / 10, i % 10, 1e4 * (1 + spread * 8) * (1 + 0.005 * ((number * 31 + i * 17) * 7919 % 101 - 50) / 50.0), 1,
  trial.id * 30 + i, 1980, 45, 'none'
FROM point JOIN trial USING (id) JOIN counted WHERE outcome = 'correct' ORDER BY trial.id, i"""

VERIFICATIONS = """
INSERT INTO verification SELECT trial.id, 0, 'before', NULL, 'points', 'relative_l2', 1e-7, 1e-5, 1, NULL
FROM trial WHERE outcome = 'correct'"""


def make(file, shard, arguments):
    values = {"shard": shard, "shards": arguments.shards, "trials": arguments.trials, "samples": arguments.samples}
    database = sqlite3.connect(file, isolation_level=None)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + SCHEMA.read_text())
    database.execute("BEGIN")
    plan = "INSERT INTO run_plan SELECT 1, id FROM point"
    for sql in (DEVICE, RUN, POINTS, CONFIGURATIONS, plan, BUILDS, TRIALS, LAUNCHES, SAMPLES, VERIFICATIONS):
        database.execute(sql, {name: value for name, value in values.items() if ":" + name in sql})
    database.execute("COMMIT")
    database.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 1;")
    database.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--shards", type=int, default=100)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=30)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    for shard in range(1, arguments.shards + 1):
        file = pathlib.Path(arguments.folder) / f"shard{shard}.db"
        if not file.exists():
            made = file.with_suffix(".new")
            made.unlink(missing_ok=True)
            make(made, shard, arguments)
            made.rename(file)


if __name__ == "__main__":
    main()
