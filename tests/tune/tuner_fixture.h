#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tune/bench_fixture.h"
#include "tune/tuner.h"

namespace tailwave::fakes {

// Block sizes 1 to 64, of which 40 is the fastest.
class TunerFixture : public BenchFixture {
 protected:
  TunerFixture() {
    std::vector<Value> sizes;
    for (std::int64_t size = 1; size <= 64; ++size) sizes.emplace_back(size);
    experiment_ = twice_experiment(std::move(sizes));
    experiment_.measure.samples = 20;
    device_.time_of = [](std::span<const Launch> launches) {
      return 10000 + 1000 * std::abs(static_cast<double>(launches.front().block.x) - 40);
    };
    options_.strategy = &find_strategy("random");
    options_.budget = {.evaluations = 1000};
  }

  std::vector<SearchSummary> tune_all() {
    ResultStore store(database_);
    progress_ = {};
    Measurer measurer(tools_);
    return tune_experiment(experiment_, measurer, store, {}, options_, progress_);
  }
  SearchSummary tune() { return tune_all().at(0); }

  std::string sequence(std::int64_t run) {
    return text(
        "SELECT group_concat(name) FROM (SELECT name FROM search_step JOIN configuration ON id = "
        "configuration_id WHERE run_id = " +
        std::to_string(run) + " ORDER BY step)");
  }

  std::string error() {
    try {
      tune_all();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TuneOptions options_;
};

}  // namespace tailwave::fakes
