#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "report/fixture.h"

namespace tailwave::samples {

// An experiment nbody/space of the variant "shared" with parameters A 1..5, B 1..5 and C 1..4, one step up of which
// gains about 10, 8 and 6 %. The best of all, 5, 5 and 4, was not run.
struct AdviceSpace {
  std::string spec = "{}";
  // How many times as long the configuration takes, and what else is true of it.
  std::function<double(int, int, int)> factor = [](int, int, int) { return 1.0; };
  double best_share = 0;  // of the limit, of the best that was run; 0: it has none

  static Values values(int a, int b, int c) { return {{"A", a}, {"B", b}, {"C", c}}; }
  static std::string name(int a, int b, int c) {
    return fmt::format("nbody/shared/A:{}/B:{}/C:{}/DT:0.01/N:4096", a, b, c);
  }

  // Within 0.1 % of each other, and none like another.
  [[nodiscard]] Trial trial_of(int a, int b, int c) const {
    const double time = 1e6 * std::exp(-0.1 * a - 0.08 * b - 0.06 * c) * factor(a, b, c) *
                        (1 + 1e-3 * std::sin(7.0 * a + 11.0 * b + 13.0 * c));
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(time * (1 + 1e-4 * (i * 7 % 20 - 10)));
    Trial one = trial("shared", values(a, b, c), times);
    if (best_share > 0 && a == 5 && b == 5 && c == 3) one.limits.push_back({"dram", time * best_share});
    return one;
  }

  std::int64_t add(Database& database) const {
    ResultStore store(database);
    RunRecord record = run("space", "2025-01-07T10:00:00Z");
    record.spec_text = spec;
    const std::int64_t id = store.begin_run(record, gpu());
    for (int a = 1; a <= 5; ++a)
      for (int b = 1; b <= 5; ++b)
        for (int c = 1; c <= 4; ++c)
          if (a + b + c < 14) store.add_trial(id, gpu(), trial_of(a, b, c));
    return id;
  }
};

}  // namespace tailwave::samples
