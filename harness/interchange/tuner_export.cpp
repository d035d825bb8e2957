#include "interchange/tuner_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "interchange/recorded_format.h"
#include "interchange/tuner_query.h"
#include "interchange/tuner_results.h"
#include "interchange/tuner_words.h"

namespace tailwave {
namespace {

using nlohmann::ordered_json;

constexpr const char* kNoValue = "none";  // of a parameter that a variant lacks

ordered_json json_value(const Value& value) {
  return std::visit([](const auto& held) { return ordered_json(held); }, value);
}

// These formats know one kernel and one problem: the variant and each problem quantity that is not the same everywhere
// become parameters, and every configuration has every parameter. What is the same everywhere is returned.
Values flatten(TunerResults& results) {
  std::set<std::string> variants, parameters;
  std::map<std::string, std::set<Value>> problem;
  for (const TunerTrial& trial : results.trials) {
    variants.insert(trial.configuration.variant);
    for (const auto& [name, value] : trial.configuration.parameters) parameters.insert(name);
    for (const auto& [name, value] : trial.configuration.problem) problem[name].insert(value);
  }
  Values common;
  for (const auto& [name, values] : problem)
    if (values.size() == 1) common[name] = *values.begin();
  for (TunerTrial& trial : results.trials) {
    Values& own = trial.configuration.parameters;
    for (const std::string& name : parameters) own.try_emplace(name, kNoValue);
    if (variants.size() > 1) own.try_emplace("variant", trial.configuration.variant);
    for (const auto& [name, value] : trial.configuration.problem)
      if (!common.contains(name)) own.try_emplace(name, value);
  }
  return common;
}

// Why nothing says whether results are right, where that is so of any; neither format has a place for it at a result.
std::string unverified_of(const TunerResults& results) {
  for (const TunerTrial& trial : results.trials)
    if (!trial.unverified.empty()) return trial.unverified;
  return "";
}

nlohmann::json stored_header(const TunerResults& results) {
  return results.header.empty() ? nlohmann::json::object() : nlohmann::json::parse(results.header);
}

// --- T4 ----------------------------------------------------------------------------------------------------------

class T4Writer {
 public:
  explicit T4Writer(TunerResults results) : results_(std::move(results)), header_(stored_header(results_)) {
    problem_ = flatten(results_);
    for (const TunerTrial& trial : results_.trials)
      for (const TunerMeasurement& one : trial.measurements)
        if (one.objective) units_.emplace(one.name, one.unit);
  }

  std::string write() const {
    nlohmann::json document{
        {"schema_version", "1.0.0"}, {"metadata", metadata()}, {"results", nlohmann::json::array()}};
    for (const TunerTrial& trial : results_.trials) document["results"].push_back(result(trial));
    return pretty(document);
  }

 private:
  nlohmann::json metadata() const {
    const bool recorded = header_.contains("metadata");
    nlohmann::json metadata = recorded ? header_.at("metadata") : nlohmann::json::object();
    if (metadata.value("timeunit", "") != "miliseconds") metadata["timeunit"] = "milliseconds";
    if (!metadata.contains("device_name")) metadata.emplace("device", results_.device);
    metadata.emplace("kernel_name", results_.system);
    if (const std::string why = unverified_of(results_); !why.empty()) metadata[kUnverifiedKey] = why;
    if (!problem_.empty() && !metadata.contains("problem"))
      for (const auto& [name, value] : problem_) metadata["problem"][name] = json_value(value);
    return metadata;
  }

  // The names that the time of a phase has: those of the schema, and of the tuners that write otherwise.
  bool is_written(std::string_view t4_name) const {
    const std::string only = header_.value("compilation", "");
    return only.empty() || !t4_name.starts_with("compilation") || t4_name == only;
  }

  nlohmann::json times(const TunerTrial& trial) const {
    nlohmann::json times = nlohmann::json::object();
    for (const TunerMeasurement& one : trial.measurements)
      for (const TunerPhase& phase : tuner_phases())
        if (phase.cachefile == one.name && is_written(phase.t4)) times[std::string(phase.t4)] = one.value;
    if (!trial.times_ms.empty()) times["runtimes"] = trial.times_ms;
    return times;
  }

  nlohmann::json measurements(const TunerTrial& trial) const {
    nlohmann::json all = nlohmann::json::array();
    for (const TunerMeasurement& one : trial.measurements)
      if (!is_tuner_phase(one.name))
        all.push_back({{"name", one.name}, {"value", one.value}, {"unit", one.unit}});
    if (trial.outcome == Outcome::correct) return all;
    for (const std::string& name : results_.objectives) {
      const auto unit = units_.find(name);
      all.push_back(
          {{"name", name}, {"value", trial.detail}, {"unit", unit == units_.end() ? "" : unit->second}});
    }
    return all;
  }

  nlohmann::json result(const TunerTrial& trial) const {
    nlohmann::json object{{"configuration", nlohmann::json::object()},
                          {"times", times(trial)},
                          {"invalidity", t4_invalidity(trial.outcome)},
                          {"correctness", trial.outcome == Outcome::correct ? 1 : 0},
                          {"measurements", measurements(trial)},
                          {"objectives", results_.objectives}};
    for (const auto& [name, value] : trial.configuration.parameters)
      object["configuration"][name] = json_value(value);
    if (!trial.timestamp.empty()) object["timestamp"] = trial.timestamp;
    return object;
  }

  TunerResults results_;
  nlohmann::json header_;
  Values problem_;
  std::map<std::string, std::string> units_;  // of objectives
};

// --- Kernel Tuner --------------------------------------------------------------------------------------------------

// A value as Python's str() has it, which keys are made of.
std::string python_text(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  return std::holds_alternative<double>(value) ? to_define(value) : to_string(value);
}

// A time in ms, as a cachefile, which names no units, has it; anything else as it is.
double in_ms(const TunerMeasurement& one) {
  const std::optional<TunerTimeUnit> unit = tuner_time_unit(one.unit);
  return unit ? one.value * unit->in_ms : one.value;
}

class CachefileWriter {
 public:
  explicit CachefileWriter(TunerResults results) : results_(std::move(results)) {
    const Values problem = flatten(results_);
    const nlohmann::json stored = stored_header(results_);
    if (!results_.trials.empty())
      for (const auto& [name, value] : results_.trials[0].configuration.parameters) keys_.push_back(name);
    // The order of a recorded file, as long as it has the same parameters.
    if (stored.contains("tune_params_keys")) {
      const auto order = stored.at("tune_params_keys").get<std::vector<std::string>>();
      if (std::set<std::string>(order.begin(), order.end()) ==
          std::set<std::string>(keys_.begin(), keys_.end()))
        keys_ = order;
    }
    header_ = header(stored, problem);
  }

  // As Kernel Tuner lays it out: its reader looks at the last three characters.
  std::string write() const {
    std::string text = header_.dump(0);
    text.erase(text.size() - 2);  // "\n}"
    text += ",\n\"cache\": {";
    const char* separator = "\n";
    for (const TunerTrial& trial : results_.trials) {
      text += fmt::format("{}{}: {}", separator, ordered_json(key(trial)).dump(), entry(trial).dump());
      separator = ",\n";
    }
    return text + "}\n}";
  }

 private:
  ordered_json tuned_values() const {
    ordered_json all = ordered_json::object();
    for (const std::string& name : keys_) {
      std::set<Value> values;
      for (const TunerTrial& trial : results_.trials) values.insert(trial.configuration.parameters.at(name));
      all[name] = ordered_json::array();
      for (const Value& value : values) all[name].push_back(json_value(value));
    }
    return all;
  }

  static ordered_json problem_size(const Values& problem) {
    const auto single = problem.find("problem_size");
    if (single != problem.end() && problem.size() == 1) return json_value(single->second);
    ordered_json sizes = ordered_json::array();
    for (const auto& [name, value] : problem)
      if (std::holds_alternative<std::int64_t>(value)) sizes.push_back(json_value(value));
    return sizes;
  }

  ordered_json header(const nlohmann::json& stored, const Values& problem) const {
    if (stored.contains("tune_params") && stored.contains("tune_params_keys") &&
        stored.at("tune_params_keys") == nlohmann::json(keys_)) {
      ordered_json header = ordered_json::object();
      for (const char* name :
           {"schema_version", "device_name", "kernel_name", "problem_size", "tune_params_keys"})
        if (stored.contains(name)) header[name] = stored.at(name);
      for (const auto& item : stored.items())
        if (!header.contains(item.key())) header[item.key()] = item.value();
      return header;
    }
    ordered_json header{{"device_name", results_.device},
                        {"kernel_name", results_.system},
                        {"problem_size", problem_size(problem)},
                        {"tune_params_keys", keys_},
                        {"tune_params", tuned_values()}};
    header["objective"] = results_.objectives.size() == 1 ? ordered_json(results_.objectives[0])
                                                          : ordered_json(results_.objectives);
    if (const std::string why = unverified_of(results_); !why.empty()) header[kUnverifiedKey] = why;
    return header;
  }

  std::string key(const TunerTrial& trial) const {
    std::string text;
    for (const std::string& name : keys_)
      text += (text.empty() ? "" : ",") + python_text(trial.configuration.parameters.at(name));
    return text;
  }

  ordered_json entry(const TunerTrial& trial) const {
    ordered_json object = ordered_json::object();
    for (const std::string& name : keys_) object[name] = json_value(trial.configuration.parameters.at(name));
    if (trial.outcome != Outcome::correct) {
      object["time"] = outcome_of_failure(trial.detail) ? trial.detail : kernel_tuner_failure(trial.outcome);
      for (const std::string& name : results_.objectives) object[name] = object["time"];
    }
    for (const TunerMeasurement& one : trial.measurements) object[one.name] = in_ms(one);
    if (!trial.times_ms.empty()) object["times"] = trial.times_ms;
    if (!trial.timestamp.empty()) object["timestamp"] = trial.timestamp;
    return object;
  }

  TunerResults results_;
  std::vector<std::string> keys_;
  ordered_json header_;
};

}  // namespace

std::string export_t4(Database& database, const ExportScope& scope) {
  return T4Writer(load_tuner_results(database, scope)).write();
}

std::string export_kernel_tuner(Database& database, const ExportScope& scope) {
  return CachefileWriter(load_tuner_results(database, scope)).write();
}

}  // namespace tailwave
