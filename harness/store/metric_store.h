#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/device_kind.h"
#include "core/metric.h"
#include "core/trial.h"
#include "store/database.h"

namespace tailwave {

// The table trial_metric, and what metrics are worked out from (tune/metric_values.h).

// What is stored of a correct trial.
struct MeasuredTrial {
  Configuration configuration;
  DeviceKind kind = DeviceKind::cuda;  // of the device where it ran
  std::string device;                  // its name
  Values work;                         // per execution; none of a plan that ends on a value
  Values measured;                     // those of measured_names() that are known, but for the time
  std::string no_energy;               // why its energy is not known; empty: it was not measured
  std::vector<Sample> samples;         // those that count; without clocks and the like
};

// None of one that is not correct.
std::optional<MeasuredTrial> measured_trial(Database& database, std::int64_t trial);

// What counters said of the trial's configuration on its device, by their names, in one execution of its plan: of the
// latest run of counters that is of the same code. What adds up (core/counters.h) is summed over all launches, and left
// out where a value decides how many these are; anything else is there where all launches have one shape, and is then
// that of one of them.
struct CountedTrial {
  bool any = false;                      // false: nothing was counted
  bool ends_on_value = false;            // see CounterRun
  std::map<std::string, double> values;  // only numbers that nothing doubts
};
CountedTrial counted_trial(Database& database, std::int64_t trial, const std::set<std::string>& counters);

// Instead of what there is of the trial. `first`: of each sample in MeasuredTrial::samples, the value of the metric at
// position 0 where that is an expression; empty: it is none, or has no value. One transaction.
void set_metrics(Database& database, std::int64_t trial, const std::vector<MetricRecord>& metrics,
                 const std::vector<Sample>& samples, const std::vector<double>& first);

// Of a trial, by position.
std::vector<MetricRecord> metrics_of_trial(Database& database, std::int64_t trial);
// Rows of imported ones, inside the caller's transaction.
void insert_metrics(Database& database, std::int64_t trial, const std::vector<MetricRecord>& metrics);

// A metric that some of the trials that count have no value of, for each of the three most frequent reasons.
struct MissingMetric {
  std::string name;
  std::int64_t configurations = 0;
  std::string reason;
};
std::vector<MissingMetric> missing_metrics(Database& database, const std::string& system,
                                           const std::string& experiment, const std::string& run_device);

// The trial of a configuration that counts (view current_trial), by its name; none where there is none.
std::optional<std::int64_t> current_trial_of(Database& database, const std::string& system,
                                             const std::string& experiment, const std::string& run_device,
                                             const std::string& configuration);

}  // namespace tailwave
