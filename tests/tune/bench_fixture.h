#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/sample_experiment.h"
#include "fakes/scratch_folder.h"
#include "store/result_store.h"
#include "tune/tuner.h"

namespace tailwave {

struct SilentProgress : SearchProgress {
  void started(std::size_t /*to_do*/, std::size_t /*reused*/, std::size_t left) override { left_out = left; }
  void search_started(const SearchStart& start) override { starts.push_back(start); }
  void advanced(double share) override { shares.push_back(share); }
  void finished(const Trial& trial, std::size_t /*done*/, std::size_t /*to_do*/) override {
    outcomes.push_back(trial.outcome);
  }
  std::vector<SearchStart> starts;
  std::vector<double> shares;
  std::vector<Outcome> outcomes;
  std::size_t left_out = 0;
};

// Doubles the elements of its first argument.
inline void twice(const Launch& launch) {
  fakes::FakeBuffer& x = fakes::FakeExecutor::buffer_argument(launch, 0);
  for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= 2;
}

// An experiment of block sizes, devices and compilers that are fakes, and a database of the test's own.
class BenchFixture : public testing::Test {
 protected:
  BenchFixture() {
    host_.kernels["host_twice"] = twice;
    device_.kernels["twice"] = twice;
    tools_ = {.kernels = &kernels_,
              .host = &compiler_,
              .device = &worker_,
              .host_device = &host_worker_,
              .reference = {.host_compiler = &compiler_, .cpu = &host_worker_}};
  }

  std::int64_t count(const std::string& sql) {
    return std::get<std::int64_t>(database_.query(sql).rows.at(0).at(0));
  }
  std::string text(const std::string& sql) {
    return std::get<std::string>(database_.query(sql).rows.at(0).at(0));
  }

  Experiment experiment_ =
      fakes::twice_experiment({std::int64_t{8}, std::int64_t{16}, std::int64_t{32}, std::int64_t{64}});
  fakes::FakeCompiler compiler_, kernels_;
  fakes::FakeExecutor host_{DeviceKind::cpu};
  fakes::FakeExecutor device_;
  fakes::LocalWorker worker_{device_}, host_worker_{host_};
  Tools tools_;
  SilentProgress progress_;
  ScratchFolder scratch_;
  std::filesystem::path file_ = scratch_ / "results.db";
  Database database_{file_, Database::Mode::read_write};
};

}  // namespace tailwave
