#include "tune/metric_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counters.h"
#include "core/statistics.h"
#include "measure/limits.h"
#include "spec/metric_reader.h"

namespace tailwave {
namespace {

constexpr const char* kPerSecond = "_per_second";

// With an expression for what the name of the time or a rate says.
Metric with_value(Metric metric) {
  if (metric.value) return metric;
  if (is_of_energy(metric.name)) {
    metric.value = Expression::parse(metric.name);
    metric.unit = "J";
  } else if (is_time(metric.name)) {
    metric.value = Expression::parse("time");
    metric.unit = "s";
  } else {
    const std::string work = metric.name.substr(0, metric.name.size() - std::string_view(kPerSecond).size());
    metric.value = Expression::parse(work + " / time");
    metric.unit = work + "/s";
  }
  return metric;
}

// Whether each sample has the number of a program's own.
bool all_report(const MeasuredTrial& trial, const std::string& name) {
  return std::ranges::all_of(trial.samples,
                             [&](const Sample& sample) { return sample.reported.contains(name); });
}

bool is_rate(const std::string& name) {
  return std::find(rate_names().begin(), rate_names().end(), name) != rate_names().end();
}

std::string why_no_counter(const std::string& counter, const CountedTrial& counted) {
  if (!counted.any)
    return "its counters were not counted: 'tailwave run --counters' or 'tailwave counters' does that";
  if (counted.ends_on_value && adds_up(counter))
    return "its launches end on a value: how many " + counter + " is the sum of, is not known";
  return counter + " was not counted, or does not add up over its launches";
}

}  // namespace

MetricValues::MetricValues(const Experiment& experiment, Measurer& measurer, Database& database)
    : experiment_(experiment), measurer_(measurer), database_(database) {
  if (!has_own_metrics(experiment)) return;
  for (Metric& metric : all_metrics(experiment)) {
    for (const auto& [name, counter] : metric.counters) counters_.insert(counter);
    metrics_.push_back(with_value(std::move(metric)));
  }
}

void MetricValues::prepare() {
  for (const Metric& metric : metrics_)
    if (metric.value->column_of("COPY_BANDWIDTH") >= 0) measurer_.memory_rates();
}

void MetricValues::store(std::int64_t trial) {
  if (metrics_.empty()) return;
  const std::optional<MeasuredTrial> measured = measured_trial(database_, trial);
  if (!measured || measured->samples.empty()) return;
  const CountedTrial counted =
      counters_.empty() ? CountedTrial() : counted_trial(database_, trial, counters_);
  std::vector<MetricRecord> records;
  std::vector<double> first;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    Found found = find(metrics_[i], static_cast<int>(i), *measured, counted);
    if (i == 0 && experiment_.metric.value) first = std::move(found.values);
    records.push_back(std::move(found.record));
  }
  set_metrics(database_, trial, records, measured->samples, first);
}

MetricValues::Found MetricValues::find(const Metric& metric, int position, const MeasuredTrial& trial,
                                       const CountedTrial& counted) {
  Found found{.record = {.position = position,
                         .name = metric.name,
                         .unit = metric.unit,
                         .maximise = metric.maximise,
                         .objective = std::ranges::find(experiment_.objectives, metric.name) !=
                                      experiment_.objectives.end(),
                         .self_reported = metric.self_reported},
              .values = {}};
  std::string& missing = found.record.missing;
  Values scope = scope_of(metric, trial, counted);
  for (const std::string& name : metric.value->names())
    if (missing.empty() && !is_time(name) && !scope.contains(name) && !all_report(trial, name))
      missing = why_unknown(metric, name, trial, counted);
  try {
    for (const Sample& sample : trial.samples) {
      if (!missing.empty()) break;
      scope["time"] = sample.time_ns / 1e9;
      for (const auto& [name, number] : sample.reported) scope[name] = number;
      const double value = metric.value->evaluate_double(scope);
      if (position == 0 && !(value > 0))
        missing = fmt::format("it is {:g}, and what configurations are ranked by has to be above 0", value);
      found.values.push_back(value);
    }
  } catch (const ExpressionError& error) {
    missing = error.what();
  }
  if (!missing.empty()) {
    found.values.clear();
    return found;
  }
  const Interval interval = median_interval(found.values);
  found.record.value = median(found.values);
  found.record.low = interval.low;
  found.record.high = interval.high;
  return found;
}

std::string MetricValues::why_unknown(const Metric& metric, const std::string& name,
                                      const MeasuredTrial& trial, const CountedTrial& counted) const {
  if (const auto counter = metric.counters.find(name); counter != metric.counters.end())
    return why_no_counter(counter->second, counted);
  if (is_rate(name)) return fmt::format("{} of {} is not known", name, trial.device);
  if (experiment_.system.work.contains(name))
    return "its launches end on a value: how much " + name + " that is, is not known";
  if (is_of_energy(name))
    return trial.no_energy.empty()
               ? "its energy was not measured: that of the best is, as 'energy' of the spec says"
               : trial.no_energy;
  if (experiment_.system.reported.contains(name))
    return fmt::format("no program said '{}' of each of its samples", name);
  if (name == "error") return "a difference from the reference is not a number, or nothing was compared";
  return name + " is not known of its main launch";
}

Values MetricValues::scope_of(const Metric& metric, const MeasuredTrial& trial, const CountedTrial& counted) {
  Values scope = trial.configuration.scope();
  scope.insert(trial.work.begin(), trial.work.end());
  scope.insert(trial.measured.begin(), trial.measured.end());
  for (const auto& [name, counter] : metric.counters)
    if (const auto known = counted.values.find(counter); known != counted.values.end())
      scope[name] = known->second;
  const std::optional<DeviceSpec>& device = measurer_.tools().occupancy_device;
  if (trial.kind != DeviceKind::cuda || !device) return scope;
  for (const std::string& name : metric.value->names()) {
    if (!is_rate(name)) continue;
    const double rate = device_rate(name, *device, [this] { return measurer_.memory_rates().copy; });
    if (rate > 0) scope[name] = rate;
  }
  return scope;
}

}  // namespace tailwave
