#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/fixture.h"

namespace tailwave::samples {

// An experiment "sizes" on the GPU, measured for two or more N.
class SizesFixture : public ::testing::Test {
 protected:
  // Twenty times within 0.2 % of it.
  static Trial timed(const std::string& variant, int block, int n, double time_ns) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(time_ns * (1 + 1e-4 * i));
    return of_size(trial(variant, {{"BLOCK_SIZE", block}}, times), n);
  }
  static Trial of_size(Trial one, int n) {
    one.configuration.problem = {{"N", n}};
    one.key = "key of " + one.configuration.name();
    return one;
  }
  static Trial wrong(const std::string& variant, int block, int n) {
    return of_size(failed(variant, {{"BLOCK_SIZE", block}}, Outcome::wrong_result, "no"), n);
  }
  static Trial skipped(const std::string& variant, int block, int n, const Trial& twin) {
    Trial one = of_size(failed(variant, {{"BLOCK_SIZE", block}}, Outcome::skipped_identical, ""), n);
    one.same_as = twin.configuration.name();
    return one;
  }
  void add(const std::vector<Trial>& trials, const std::string& spec = "{}",
           const std::string& started_at = "2025-05-01T10:00:00Z", const std::string& defaults = "") {
    ResultStore store(database_);
    RunRecord record = run("sizes", started_at);
    record.spec_text = spec;
    if (!defaults.empty()) record.defaults = defaults;
    const std::int64_t id = store.begin_run(record, gpu());
    for (const Trial& one : trials) store.add_trial(id, gpu(), one);
    store.finish_run(id, RunStatus::done, "2025-05-01T10:01:00Z");
  }
  // The fastest is shared 64 for N 1024, shared 128 for N 4096; the default is basic 32.
  void add_two_sizes() {
    add({timed("basic", 32, 1024, 200), timed("shared", 64, 1024, 100), timed("shared", 128, 1024, 150),
         timed("basic", 32, 4096, 600), timed("basic", 64, 4096, 500), timed("shared", 64, 4096, 240),
         timed("shared", 128, 4096, 200)});
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

}  // namespace tailwave::samples
