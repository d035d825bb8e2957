#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measure/measurer.h"
#include "spec/experiment.h"
#include "store/metric_store.h"

namespace tailwave {

// Works out the metrics of an experiment from what is stored of its trials, and stores them beside it: the only place
// where expressions of metrics are evaluated. Where the experiment has but the time or a rate (has_own_metrics()),
// there is nothing to do: views derive these.
//
// Each sample is put through the expression; the metric is the median of what that gives, with the interval of
// median_interval(). So an expression that goes up or down with the time has the interval of the time's, mapped. A
// metric is absent, with the reason, where something that it names is not known, or it has no finite value; the first
// metric also where it is not above 0, since by it costs are compared as ratios.
class MetricValues {
 public:
  // All are kept by reference.
  MetricValues(const Experiment& experiment, Measurer& measurer, Database& database);

  // Of a trial of the experiment; of one that is not correct nothing. One transaction.
  void store(std::int64_t trial);

  // Asks the device for COPY_BANDWIDTH where a metric names it. Nothing may be under way.
  void prepare();

 private:
  struct Found {
    MetricRecord record;
    std::vector<double> values;  // of each sample; none where there is no value
  };
  [[nodiscard]] Found find(const Metric& metric, int position, const MeasuredTrial& trial,
                           const CountedTrial& counted);
  // Why a name of a metric means nothing for a trial.
  [[nodiscard]] std::string why_unknown(const Metric& metric, const std::string& name,
                                        const MeasuredTrial& trial, const CountedTrial& counted) const;
  [[nodiscard]] Values scope_of(const Metric& metric, const MeasuredTrial& trial,
                                const CountedTrial& counted);

  const Experiment& experiment_;
  Measurer& measurer_;
  Database& database_;
  std::vector<Metric> metrics_;     // each with a value
  std::set<std::string> counters_;  // that they need
};

}  // namespace tailwave
