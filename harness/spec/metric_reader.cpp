#include "spec/metric_reader.h"

#include <algorithm>
#include <set>

#include "core/counters.h"
#include "core/metric.h"
#include "spec/names.h"
#include "spec/system_reader.h"
#include "spec/variant_reader.h"

namespace tailwave {
namespace {

// What each measured name is taken to be when a spec is checked: none of them a number that is special.
const std::vector<std::pair<std::string, double>>& likely_values() {
  static const std::vector<std::pair<std::string, double>> values{
      {"time", 1.37e-3},      {"error", 1.7e-7},      {"registers", 37},          {"spill_bytes", 13},
      {"shared_bytes", 4111}, {"blocks_per_sm", 7.0}, {"occupancy", .7},          {"waves", 3.3},
      {"energy", 0.13},       {"power", 313.0},       {"sustained_time", 1.41e-3}};
  return values;
}

constexpr const char* kEnergyName = "energy";  // a metric as it stands
constexpr double kLikelyCount = 1.3e9;         // of a counter
constexpr double kLikelyRate = 1.1e12;         // of a device
constexpr double kLikelyReport = 0.73;         // of a program

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> reported_names(const System& system) {
  std::vector<std::string> names;
  for (const auto& entry : system.reported) names.push_back(entry.first);
  return names;
}

Metric reported_metric(const std::string& name, const ReportedMetric& reported) {
  return {.name = name,
          .maximise = reported.maximise,
          .value = Expression::parse(name),
          .unit = reported.unit,
          .self_reported = true};
}

class MetricReader {
 public:
  MetricReader(const System& system, Reporter& reporter) : system_(system), reporter_(reporter) {}

  Metric read(const Json& place) {
    Metric metric;
    const Json name = place.find("name");
    if (name.as_text() == nullptr) return metric;
    metric.name = *name.as_text();
    const std::string* goal = place.find("goal").as_text();
    metric.maximise = goal == nullptr ? !is_time(metric.name) && metric.name != kEnergyName : *goal == "max";
    if (!names_.insert(metric.name).second)
      reporter_.report(name.pointer(), "the metric '" + metric.name + "' is given twice");
    if (place.find("value")) {
      read_own(place, metric);
    } else if (const auto reported = system_.reported.find(metric.name); reported != system_.reported.end()) {
      metric = reported_metric(metric.name, reported->second);
      if (goal != nullptr) metric.maximise = *goal == "max";
      refuse_of_own(place);
    } else {
      if (metric.name != kEnergyName)
        check_metric(metric.name, system_, name.pointer(), reporter_, reported_names(system_));
      refuse_of_own(place);
    }
    return metric;
  }

 private:
  void refuse_of_own(const Json& place) {
    for (const char* key : {"unit", "counters"})
      if (const Json other = place.find(key))
        reporter_.report(other.pointer(), std::string("'") + key + "' has no meaning without 'value'");
  }

  // One by an expression.
  void read_own(const Json& place, Metric& metric) {
    const Json name = place.find("name");
    std::string why = why_not_a_parameter_name(metric.name);
    if (holds(measured_names(), metric.name)) why = "is what is measured";
    if (is_rate_of_work(metric.name)) why = "is a rate of the manifest's work";
    if (system_.reported.contains(metric.name)) why = "is what programs report";
    if (!why.empty())
      reporter_.report(name.pointer(), "the name '" + metric.name + "' " + why,
                       "a metric with a 'value' has a name of its own");
    if (!place.find("goal"))
      reporter_.report(place.pointer(), "missing key 'goal'",
                       "'min' or 'max': an expression does not say which end is best");
    if (const std::string* unit = place.find("unit").as_text(); unit != nullptr) {
      if (check_one_line(place.find("unit"), reporter_)) metric.unit = *unit;
    }
    std::vector<std::string> known = names_in_scope(system_);
    for (const auto& entry : system_.work) known.push_back(entry.first);
    const std::vector<std::string> of_manifest = known;
    known.insert(known.end(), rate_names().begin(), rate_names().end());
    known.insert(known.end(), measured_names().begin(), measured_names().end());
    for (const auto& entry : system_.reported) known.push_back(entry.first);
    read_counters(place.find("counters"), known, metric);
    for (const auto& entry : metric.counters) known.push_back(entry.first);
    metric.value = read_expression(place.find("value"), known, reporter_);
    if (!metric.value) return;
    metric.self_reported = std::ranges::any_of(
        metric.value->names(), [&](const std::string& one) { return system_.reported.contains(one); });
    check(place.find("value").pointer(), of_manifest, metric);
  }

  [[nodiscard]] bool is_rate_of_work(const std::string& name) const {
    return std::any_of(system_.work.begin(), system_.work.end(),
                       [&](const auto& entry) { return name == entry.first + "_per_second"; });
  }

  void read_counters(const Json& place, const std::vector<std::string>& known, Metric& metric) {
    for (const auto& [name, counter] : place.members()) {
      std::string why = why_not_a_parameter_name(name);
      if (holds(known, name)) why = "means something else already";
      if (!why.empty()) {
        reporter_.report(counter.pointer(), "the name '" + name + "' " + why);
        continue;
      }
      if (counter.as_text() == nullptr) continue;
      metric.counters.emplace(name, *counter.as_text());
      if (!is_counter_name(*counter.as_text()))
        reporter_.report(
            counter.pointer(), "'" + *counter.as_text() + "' is no counter",
            "one is called like dram__bytes_read.sum; docs/counters.md has those that are counted");
    }
  }

  // With the defaults of each variant, and what is measured made up.
  void check(const std::string& pointer, const std::vector<std::string>& of_manifest, const Metric& metric) {
    std::vector<std::string> others;
    for (const std::string& name : metric.value->names()) {
      if (holds(measured_names(), name) && holds(of_manifest, name))
        return reporter_.report(
            pointer, ExpressionError("'" + name + "' is a name of the manifest, and what is measured",
                                     metric.value->column_of(name), "rename it in the manifest",
                                     metric.value->text()));
    }
    for (const auto& entry : system_.work) others.push_back(entry.first);
    others.insert(others.end(), rate_names().begin(), rate_names().end());
    others.insert(others.end(), measured_names().begin(), measured_names().end());
    for (const auto& entry : metric.counters) others.push_back(entry.first);
    for (const auto& entry : system_.reported) others.push_back(entry.first);
    for (const VariantSpec& variant : system_.variants) {
      const std::size_t before = reporter_.diagnostics().size();
      check_variant_has(*metric.value, system_, variant, pointer, reporter_, others);
      if (reporter_.diagnostics().size() == before) check_number(pointer, variant, metric);
      if (reporter_.diagnostics().size() != before) return;
    }
  }

  void check_number(const std::string& pointer, const VariantSpec& variant, const Metric& metric) {
    Values scope = default_scope(system_, variant);
    for (const auto& [name, amount] : system_.work) {
      try {
        scope[name] = amount.evaluate(default_scope(system_, variant));
      } catch (const ExpressionError&) {
        return;  // of the manifest, where it is reported
      }
    }
    for (const std::string& name : rate_names()) scope[name] = kLikelyRate;
    for (const auto& entry : metric.counters) scope[entry.first] = kLikelyCount;
    for (const auto& entry : system_.reported) scope[entry.first] = kLikelyReport;
    for (const auto& [name, value] : likely_values()) scope.emplace(name, value);
    const auto value = try_evaluate(*metric.value, scope, pointer, reporter_);
    if (value && std::holds_alternative<std::string>(*value))
      report_value(*metric.value, *value, "a number", scope, pointer, reporter_);
  }

  const System& system_;
  Reporter& reporter_;
  std::set<std::string> names_;
};

bool names_energy(const Metric& metric) {
  if (!metric.value) return metric.name == kEnergyName;
  return std::ranges::any_of(metric.value->names(), is_of_energy);
}

void read_energy_settings(const Json& place, Experiment& experiment) {
  const std::vector<Metric> metrics = all_metrics(experiment);
  if (!place && std::ranges::none_of(metrics, names_energy)) return;
  EnergySettings& energy = experiment.energy.emplace();
  energy.window_s = place.find("window_s").as_real().value_or(energy.window_s);
  energy.most = place.find("most").as_whole().value_or(energy.most);
}

void read_objectives(const Json& place, Experiment& experiment, Reporter& reporter) {
  std::vector<std::string> names;
  for (const Metric& metric : all_metrics(experiment)) names.push_back(metric.name);
  for (const Json& one : place.items()) {
    const std::string* const name = one.as_text();
    if (name == nullptr) continue;
    if (!holds(names, *name))
      reporter.report_unknown(one.pointer(), "metric", *name, names);
    else if (holds(experiment.objectives, *name))
      reporter.report(one.pointer(), "the objective '" + *name + "' is given twice");
    else
      experiment.objectives.push_back(*name);
  }
}

}  // namespace

const std::vector<std::string>& measured_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& entry : likely_values()) all.push_back(entry.first);
    return all;
  }();
  return names;
}

bool is_of_energy(const std::string& measured_name) {
  return measured_name == kEnergyName || measured_name == "power" || measured_name == "sustained_time";
}

void read_metrics(const Json& root, Experiment& experiment, Reporter& reporter) {
  const Json one = root.find("metric"), several = root.find("metrics");
  if (!one && !several) experiment.metric.name = "time";
  if (one && several)
    return reporter.report(several.pointer(), "'metrics' has no meaning beside 'metric'",
                           "put all into 'metrics', what is best first");
  MetricReader reader(experiment.system, reporter);
  if (one) experiment.metric = reader.read(one);
  bool is_first = true;
  for (const Json& place : several.items()) {
    Metric metric = reader.read(place);
    if (std::exchange(is_first, false))
      experiment.metric = std::move(metric);
    else
      experiment.further_metrics.push_back(std::move(metric));
  }
  const Json first = one ? one : several.items().empty() ? Json() : several.items().front();
  if (first.find("counters"))
    reporter.report(first.find("counters").pointer(),
                    "what is optimised has to be known of each configuration, and counters are not",
                    "put another metric first in 'metrics'");
  if (names_energy(experiment.metric))
    reporter.report(first.pointer(),
                    "what is optimised has to be known of each configuration, and energy is not",
                    "put another metric first in 'metrics'");
  read_objectives(root.find("objectives"), experiment, reporter);
  read_energy_settings(root.find("energy"), experiment);
}

void check_metric(const std::string& name, const System& system, const std::string& pointer,
                  Reporter& reporter, const std::vector<std::string>& others) {
  std::vector<std::string> metrics{"time"};
  for (const auto& entry : system.work) metrics.push_back(entry.first + "_per_second");
  metrics.insert(metrics.end(), others.begin(), others.end());
  if (holds(metrics, name)) return;
  reporter.report_unknown(pointer, "metric", name, metrics);
}

Metric metric_named(const std::string& name, const System& system, const std::string& pointer,
                    Reporter& reporter) {
  const auto reported = system.reported.find(name);
  if (reported != system.reported.end()) return reported_metric(name, reported->second);
  check_metric(name, system, pointer, reporter, reported_names(system));
  return {.name = name, .maximise = !is_time(name)};
}

std::vector<Metric> all_metrics(const Experiment& experiment) {
  std::vector<Metric> all{experiment.metric};
  all.insert(all.end(), experiment.further_metrics.begin(), experiment.further_metrics.end());
  return all;
}

bool has_own_metrics(const Experiment& experiment) {
  return experiment.metric.value || !experiment.further_metrics.empty();
}

}  // namespace tailwave
