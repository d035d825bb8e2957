#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/standing.h"
#include "core/statistics.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// One row of the query "advice": a change of one value, from the best configuration of a problem.
struct Advice {
  static constexpr std::string_view kRule = "rule";

  std::string experiment, device, configuration;  // "nbody/scaling"
  std::string parameter, value, new_value;        // "grid": the number of blocks itself
  std::int64_t grid = 0, new_grid = 0;
  double waves = 0, new_waves = 0;
  std::string predicted_by;  // kRule, or a wave model of the configuration's grid curve
  double predicted_gain = 1;
  double balance_gain = 1, lanes_gain = 1, hiding_gain = 1;  // of the rule; their product is predicted_gain
  std::optional<double> measured_gain;
  std::optional<Interval> measured_interval;  // 95 %
  std::optional<Standing> measured;           // of the new configuration; none: not run, or faster
};

// Of the changes in an experiment that the rule advises and that were measured: how many, and how many were faster.
struct AdviceRecord {
  std::string experiment, device;
  std::int64_t advised = 0, faster = 0;
};

struct AllAdvice {
  std::vector<Advice>
      advice;  // by experiment as given, device, configuration, then from the highest predicted gain
  std::vector<AdviceRecord> records;
};

// Of these experiments on GPUs: the queries advice and advice_record.
AllAdvice load_advice(Database& database, const std::vector<const Study*>& studies);

// The section "Advice" of a device's part of a page: at most three changes, each of another parameter, by predicted
// gain. Changes that were measured and gained less than 2 % are only counted, and where the rule was wrong more often
// than right, what was not run is not advised. "" when no change is left.
std::string advice_section(const Study& study, const DeviceStudy& device, const AllAdvice& all);

}  // namespace tailwave
