#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "store/observation_store.h"
#include "store/sample_data.h"

namespace tailwave::samples {

inline Trial with_launch(Trial trial, std::int64_t grid, std::int64_t block, int blocks_per_sm,
                         const std::string& limiter, double occupancy, const Waves& waves,
                         const std::string& occupancy_device = "h200") {
  trial.launches.push_back(launch("body_force", grid, block, blocks_per_sm, limiter, occupancy, waves));
  trial.launches.back().occupancy_device = occupancy_device;
  if (occupancy_device != "h200") trial.launches.back().driver_blocks_per_sm.reset();
  return trial;
}

inline void add_block_size_runs(ResultStore& store) {
  const std::int64_t first = store.begin_run(run("basic_block_size", "2025-01-01T10:00:00Z"), gpu());
  store.add_trial(first, gpu(),
                  with_launch(trial("basic", {{"BLOCK_SIZE", 1}}, {1.1e6, 1.0e6, 1.2e6, 1.1e6}), 4096, 1, 32,
                              "blocks", 0.5, {0.97, 0, 0.97, 0.97, 132}));
  store.add_trial(first, gpu(), trial("basic", {{"BLOCK_SIZE", 2}}, {9e5}));
  Trial best = with_launch(trial("basic", {{"BLOCK_SIZE", 32}}, {3.4e5, 3.5e5, 3.6e5, 3.5e5, 9e6}), 128, 32,
                           32, "blocks", 0.5, {0.03, 0, 0.03, 0.03, 128});
  best.samples.back().dropped = "throttled";
  best.launches.back().driver_blocks_per_sm = 24;
  store.add_trial(first, gpu(), best);
  store.add_trial(first, gpu(),
                  failed("basic", {{"BLOCK_SIZE", 30}}, Outcome::wrong_result,
                         "bodies[3] = <script>alert(1)</script> | expected 0.5\nsecond line"));
  store.add_trial(first, gpu(),
                  failed("basic", {{"BLOCK_SIZE", 1025}}, Outcome::exceeds_device_limit,
                         "1025 threads a block exceed the device's 1024"));
  store.finish_run(first, RunStatus::interrupted, "2025-01-01T10:01:00Z");
  const std::int64_t second = store.begin_run(run("basic_block_size", "2025-01-01T11:00:00Z"), gpu());
  store.add_trial(second, gpu(),
                  with_launch(trial("basic", {{"BLOCK_SIZE", 2}}, {6.2e5, 6.0e5, 6.1e5}), 2048, 2, 32,
                              "blocks", 0.5, {0.48, 0, 0.48, 0.48, 132}));
  store.finish_run(second, RunStatus::done, "2025-01-01T11:01:00Z");

  RunRecord local = run("basic_block_size", "2025-02-01T09:00:00Z");
  local.occupancy_device = "a100";
  local.driver = "";
  const std::int64_t third = store.begin_run(local, cpu());
  for (const int size : {1, 32}) {
    Trial one = trial("basic", {{"BLOCK_SIZE", size}}, {2e8 / size, 2.2e8 / size, 2.1e8 / size});
    one.timer = "steady_clock";
    one.build = BuildRecord{.key = fmt::format("basic {} for the CPU device", size),
                            .compiler = "g++ 12.2.0",
                            .target = "cpu",
                            .options = "",
                            .code_hash = "",
                            .log = ""};
    store.add_trial(third, cpu(),
                    with_launch(one, 4096 / size, size, 32, "blocks", 0.5,
                                {size == 1 ? 1.185 : 0.037, size == 1 ? 1 : 0, size == 1 ? 0.185 : 0.037,
                                 size == 1 ? 0.593 : 0.037, 108},
                                "a100"));
  }
  store.finish_run(third, RunStatus::done, "2025-02-01T09:01:00Z");

  const auto published = [](int size, double value, const std::string& invalid) {
    return PublishedValue{
        "N-body on A100", "a100", "interactions_per_second", "1e9/s", "basic", {{"BLOCK_SIZE", size}}, value,
        invalid,          ""};
  };
  store.set_published("basic_block_size",
                      {published(1, 14.749e9, ""), published(2, 27.311e9, ""), published(32, 32.32e9, ""),
                       published(64, 32.704e9, ""), published(1025, 783.982e9, "the launch | failed")},
                      "nbody");
}

// 4096 blocks, 32 an SM: time falls with the SMs, follows the waves, and no more from 64 on.
inline void add_sm_curve(Database& database, const std::string& at) {
  SmCurve curve;
  curve.configuration = trial("basic", {{"BLOCK_SIZE", 1}}, {}).configuration;
  curve.compiler = "NVRTC 13.0";
  curve.kernel = "body_force";
  curve.grid = 4096;
  curve.blocks_per_sm = 32;
  curve.samples = {{8, 8, {1600, 1590, 1700}},  // 16 waves
                   {30, 32, {400, 410, 390}},   // 4
                   {64, 64, {205, 200, 195}},   // 2
                   {96, 96, {199, 199, 199}},   // 1.33
                   {0, 132, {198, 196, 197}}};  // 0.97
  tailwave::add_sm_curve(database, {.system = "nbody", .experiment = "basic_block_size", .observed_at = at},
                         gpu(), curve);
}

inline void add_variants_run(ResultStore& store) {
  RunRecord record = run("variants", "2025-01-03T10:00:00Z");
  record.question = "What does each step gain?";
  const std::int64_t id = store.begin_run(record, gpu());
  Trial serial = trial("cpu", {}, {2.1e8});
  serial.timer = "steady_clock";
  store.add_trial(id, cpu(), serial);
  store.add_trial(id, gpu(), trial("basic", {{"BLOCK_SIZE", 32}}, {3.5e5}));
  for (const bool fast : {false, true})
    store.add_trial(id, gpu(),
                    trial("shared", {{"BLOCK_SIZE", 128}, {"BLOCK_STRIDE", 32}, {"FAST_MATH", fast}},
                          {fast ? 14000.0 : 21000.0}));
}

// A second system with an experiment whose metric is the time, still running.
inline void add_jacobi_run(ResultStore& store) {
  RunRecord record = run("block_size", "2025-01-04T10:00:00Z");
  record.system = "jacobi";
  record.question = "Which block size?";
  record.metric = "time";
  record.maximise = false;
  const std::int64_t id = store.begin_run(record, gpu());
  for (const int size : {64, 256}) {
    Trial one = trial("atomic", {{"BLOCK_SIZE", size}}, {64e4 / size, 65e4 / size, 66e4 / size});
    one.configuration.system = "jacobi";
    one.configuration.problem = {{"N", 4194304}};
    one.work = {};
    store.add_trial(id, gpu(), one);
  }
  store.set_published("block_size", {{"Jacobi on V100",
                                      "v100",
                                      "time",
                                      "us",
                                      "atomic",
                                      {{"BLOCK_SIZE", 256}},
                                      2.52e-3,
                                      "",
                                      "one iteration"}});
}

// A run on the CPU device whose host variant "cpu" is faster than both kernels (none with `kernels` false): 20
// samples each.
inline void add_run_beside_host(ResultStore& store, bool kernels = true) {
  const std::int64_t id = store.begin_run(run("beside_host", "2025-03-01T10:00:00Z"), cpu());
  const auto add = [&](Trial one, const std::string& target) {
    one.timer = "steady_clock";
    one.build = BuildRecord{.key = target + one.configuration.name(),
                            .compiler = "g++ 12.2.0",
                            .target = target,
                            .options = "",
                            .code_hash = "",
                            .log = ""};
    store.add_trial(id, cpu(), one);
  };
  add(trial("cpu", {}, std::vector<double>(20, 1e5)), "host");
  add(trial("cpu_fp64", {}, std::vector<double>(20, 3e5)), "host");
  for (const int size : {32, 64})
    if (kernels) add(trial("basic", {{"BLOCK_SIZE", size}}, std::vector<double>(20, 64e6 / size)), "cpu");
}

// Block sizes of the kernel as printed on an H200: 1 and 2 fit one wave, and 1025 cannot start.
inline void add_printed_block_sizes(Database& database) {
  ResultStore store(database);
  const std::int64_t printed = store.begin_run(run("basic_block_size", "2025-03-01T10:00:00Z"), gpu());
  const auto add = [&](int size, double nanoseconds, double waves) {
    store.add_trial(printed, gpu(),
                    with_launch(trial("nbody_parallel", {{"BLOCK_SIZE", size}}, {nanoseconds}), 4096 / size,
                                size, 32, "blocks", 0.5, {waves, 0, waves, waves, 132}));
  };
  add(1, 1.1e6, 0.97);
  add(2, 6.1e5, 0.4848);
  add(32, 3.5e5, 0.03);
  store.add_trial(printed, gpu(),
                  failed("nbody_parallel", {{"BLOCK_SIZE", 1025}}, Outcome::exceeds_device_limit,
                         "1025 threads a block exceed the device's 1024"));
}

// Three experiments with hand-made numbers: see docs of each builder.
class Fixture : public ::testing::Test {
 protected:
  Fixture() {
    ResultStore store(database_);
    add_block_size_runs(store);
    add_variants_run(store);
    add_jacobi_run(store);
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The expected text lies in tests/data/report. With TAILWAVE_UPDATE_EXPECTED set, it is written instead and the
// test fails, so that a changed expectation is looked at.
inline void expect_file(const std::string& actual, const std::string& name) {
  const auto file = std::filesystem::path(TAILWAVE_TEST_DATA) / "report" / name;
  if (std::getenv("TAILWAVE_UPDATE_EXPECTED") != nullptr) {
    std::ofstream(file, std::ios::binary) << actual;
    ADD_FAILURE() << "wrote " << file << ": read it, then run again without TAILWAVE_UPDATE_EXPECTED";
    return;
  }
  EXPECT_EQ(actual, read_file(file)) << "expected: " << file;
}

}  // namespace tailwave::samples
