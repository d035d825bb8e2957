#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/bootstrap.h"
#include "core/statistics.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// One that the best is held beside.
struct Beside {
  const StudyRow* row = nullptr;
  double times = 1;  // its median cost over the best's (view sample_cost): above 1, the best is better
  std::optional<Interval>
      interval;  // of 95 %; none with fewer than kFewestSamples on a side, and of the best itself
};

// " (2 to 2.001)" of times; "" without an interval.
std::string times_interval_text(const std::optional<Interval>& interval);

// What trials cost, each read once.
class TrialCosts {
 public:
  explicit TrialCosts(Database& database) : database_(database) {}

  const Series& of(const StudyRow& row);
  // None where one of them has no costs, or the best none above 0.
  std::optional<Beside> beside(const StudyRow& other, const StudyRow& best);

 private:
  Database& database_;
  std::map<std::int64_t, Series> series_;  // by trial
};

}  // namespace tailwave
