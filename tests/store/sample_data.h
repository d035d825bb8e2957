#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"
#include "store/result_store.h"

namespace tailwave::samples {

using TemporaryFolder = ScratchFolder;

inline DeviceDescription gpu() {
  return {DeviceKind::cuda,
          "NVIDIA H200",
          "GPU-1",
          90,
          132,
          150'000'000'000,
          1980,
          3201,
          {{"max_threads_per_block", 1024}}};
}
inline DeviceDescription cpu() {
  return {DeviceKind::cpu, "Test CPU (2 cores)", "", 0, 2, 8'000'000'000, 0, 0, {}};
}

inline RunRecord run(const std::string& experiment, const std::string& started_at) {
  RunRecord record;
  record.experiment = experiment;
  record.system = "nbody";
  record.question = "Does the block size matter?";
  record.metric = "interactions_per_second";
  record.spec_file = "experiments/nbody/" + experiment + ".json";
  record.spec_hash = "0123456789abcdef";
  record.spec_text = "{}";
  record.started_at = started_at;
  record.host = "Test CPU, 2 cores, Linux";
  record.driver = "13.0 (580.1)";
  record.compiler = "NVRTC 13.0";
  record.host_compiler = "g++ 12.2.0";
  record.commit = "abc1234";
  record.tailwave_version = "0.1.0";
  record.clocks = R"({"sm_mhz":1980})";
  record.occupancy_device = "h200";
  return record;
}

// A correct trial of nbody with one sample a time given, N = 4096.
inline Trial trial(const std::string& variant, Values parameters, const std::vector<double>& times_ns) {
  Trial result;
  result.configuration = {"nbody", variant, std::move(parameters), {{"DT", 0.01}, {"N", 4096}}};
  result.key = "key of " + result.configuration.name();
  result.timer = "cuda_event";
  result.mode = "isolated";
  result.stopped_by = "samples";
  result.work = {{"interactions", 16'777'216}};
  int position = 0;
  for (const double time : times_ns) result.samples.push_back({0, position++, time, 1, ""});
  result.verifications.push_back({"before", "", "bodies", "relative_l2", 1e-7, 1e-5, true, ""});
  return result;
}

inline Trial failed(const std::string& variant, Values parameters, Outcome outcome,
                    const std::string& detail) {
  Trial result = trial(variant, std::move(parameters), {});
  result.outcome = outcome;
  result.detail = detail;
  result.timer = "";
  result.stopped_by = "";
  result.verifications.clear();
  return result;
}

inline LaunchRecord launch(const std::string& kernel, std::int64_t grid, std::int64_t block,
                           int blocks_per_sm, const std::string& limiter, double occupancy,
                           const Waves& waves) {
  LaunchRecord record;
  record.kernel = kernel;
  record.grid = {grid, 1, 1};
  record.block = {block, 1, 1};
  record.resources = KernelResources{kernel, 40, 0, 0, 1, 0, 0};
  record.occupancy = Occupancy{blocks_per_sm, occupancy, limiter, 48, 32, 64, 32};
  record.waves = waves;
  record.occupancy_device = "h200";
  record.driver_blocks_per_sm = blocks_per_sm;
  return record;
}

// A table as text to compare. Numbers have 10 digits, since versions of SQLite add up in different ways.
inline std::string csv(Table table) {
  for (auto& row : table.rows) {
    for (Cell& cell : row) {
      const auto* number = std::get_if<double>(&cell);
      if (number != nullptr) cell = fmt::format("{:.10g}", *number);
    }
  }
  return render(table, TableFormat::csv);
}

inline std::string csv(Database& database, const std::string& sql, const Values& parameters = {}) {
  return csv(database.query(sql, parameters));
}

}  // namespace tailwave::samples
