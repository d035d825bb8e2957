#include "tune/foreign_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/device_kind.h"
#include "core/error.h"
#include "core/statistics.h"
#include "store/device_times.h"
#include "tune/foreign_source.h"

namespace tailwave {
namespace {

constexpr const char* kAll = "all";

std::string text_of(const Values& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : to_string(found->second);
}

bool is_asked_for(const ExperimentOnGpus& one, const Values& parameters) {
  const std::string experiment = text_of(parameters, "experiment"), system = text_of(parameters, "system");
  return (experiment.empty() || experiment == one.experiment ||
          experiment == one.system + "/" + one.experiment) &&
         (system.empty() || system == one.system);
}

std::vector<ComparedTime> compare(const ForeignSource& source, const ForeignSource& target) {
  std::vector<ComparedTime> compared;
  for (const auto& [configuration, measured] : target.times) {
    const auto known = source.times.find(configuration);
    if (known == source.times.end() || known->second.mode != measured.mode) continue;
    const auto predicted = predict_from({source}, configuration, target.spec, measured.launch);
    if (predicted) compared.push_back({*predicted, measured.time_ns});
  }
  return compared;
}

std::string basis_of(const std::vector<ComparedTime>& compared) {
  const auto counted = std::count_if(compared.begin(), compared.end(), [](const ComparedTime& one) {
    return one.predicted.basis == ForeignBasis::counters;
  });
  if (counted == 0) return std::string(to_string(ForeignBasis::times));
  return counted == static_cast<std::ptrdiff_t>(compared.size())
             ? std::string(to_string(ForeignBasis::counters))
             : "both";
}

Cell number(double value) {
  return std::isfinite(value) ? Cell{value} : Cell{};
}

std::vector<Cell> row_of(const std::string& experiment, const std::string& source, const std::string& target,
                         const std::vector<ComparedTime>& compared) {
  const ForeignRecord record = judge_foreign(compared);
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(record.compared);
  };
  const bool is_whole = experiment == kAll;
  return {experiment,
          source,
          target,
          basis_of(compared),
          static_cast<std::int64_t>(record.compared),
          record.median_percent,
          record.percent_95,
          share(record.likely),
          share(record.nearly_sure),
          is_whole ? Cell{} : number(record.rank_correlation),
          is_whole ? Cell{} : number(record.regret)};
}

// A device that cannot be described is left out: there is nothing to say of it.
std::map<std::string, ForeignSource> sources_of(Database& database, const ExperimentOnGpus& one) {
  std::map<std::string, ForeignSource> sources;
  for (const std::string& device : one.devices) {
    try {
      sources.emplace(device, load_foreign_source(database, one.system, one.experiment, device));
    } catch (const Error&) {
      continue;
    }
  }
  return sources;
}

}  // namespace

ForeignRecord judge_foreign(const std::vector<ComparedTime>& compared) {
  ForeignRecord record;
  record.compared = compared.size();
  if (compared.empty()) return record;
  std::vector<double> errors, predicted, measured;
  for (const ComparedTime& one : compared) {
    const double error = std::abs(std::log(one.measured_ns / one.predicted.time_ns));
    errors.push_back(100 * std::expm1(error));
    predicted.push_back(one.predicted.time_ns);
    measured.push_back(one.measured_ns);
    record.likely += error <= kLikely * one.predicted.spread() ? 1 : 0;
    record.nearly_sure += error <= kNearlySure * one.predicted.spread() ? 1 : 0;
  }
  record.median_percent = median(errors);
  record.percent_95 = quantile(errors, 0.95);
  record.rank_correlation = rank_correlation(predicted, measured);
  const auto best = std::min_element(predicted.begin(), predicted.end()) - predicted.begin();
  record.regret =
      measured[static_cast<std::size_t>(best)] / *std::min_element(measured.begin(), measured.end());
  return record;
}

Table foreign_record_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "source", "target", "basis", "configurations", "median_percent", "percent_95",
               "in_80", "in_95", "correlation", "regret"},
              {}};
  std::string device = text_of(parameters, "device");
  if (find_enum<DeviceKind>(device)) device.clear();  // all are GPUs
  std::map<std::pair<std::string, std::string>, std::vector<ComparedTime>> together;
  for (const ExperimentOnGpus& one : experiments_on_gpus(database)) {
    if (one.devices.size() < 2 || !is_asked_for(one, parameters)) continue;
    const std::map<std::string, ForeignSource> sources = sources_of(database, one);
    for (const auto& [from, source] : sources) {
      for (const auto& [to, target] : sources) {
        if (from == to || (!device.empty() && device != from && device != to)) continue;
        const std::vector<ComparedTime> compared = compare(source, target);
        if (compared.empty()) continue;
        table.rows.push_back(row_of(one.system + "/" + one.experiment, from, to, compared));
        std::vector<ComparedTime>& all = together[{from, to}];
        all.insert(all.end(), compared.begin(), compared.end());
      }
    }
  }
  for (const auto& [pair, compared] : together)
    table.rows.push_back(row_of(kAll, pair.first, pair.second, compared));
  return table;
}

}  // namespace tailwave
