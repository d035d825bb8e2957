#include "interchange/cachefile_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "interchange/tuner_results.h"
#include "interchange/tuner_words.h"

namespace tailwave {
namespace {

// What older versions write for the time of a configuration that failed.
constexpr double kOldFailure = 1e20;

// True if the part of `key` from `place` on is `value` as Python prints it, up to a comma or the end; moves beyond it.
bool skip_value(const std::string& key, std::size_t& place, const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    double read = 0;
    const auto [end, error] = std::from_chars(key.data() + place, key.data() + key.size(), read);
    place = static_cast<std::size_t>(end - key.data());
    if (error != std::errc{} || read != *number) return false;
  } else {
    const bool* flag = std::get_if<bool>(&value);
    const std::string text = flag == nullptr ? to_string(value) : *flag ? "True" : "False";
    if (key.compare(place, text.size(), text) != 0) return false;
    place += text.size();
  }
  if (place == key.size()) return true;
  return key[place++] == ',';
}

bool is_key_of(const std::string& key, const std::vector<Value>& values) {
  std::size_t place = 0;
  return std::all_of(values.begin(), values.end(),
                     [&](const Value& value) { return skip_value(key, place, value); }) &&
         place == key.size() && !key.ends_with(',');
}

std::vector<std::string> texts(const Json& place) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < place.size(); ++i) all.push_back(place.at(i).text());
  return all;
}

// [4096, 4096] -> problem_size_x, problem_size_y; a number or text alone -> problem_size.
Values problem_of(const Json& document) {
  if (!document.has("problem_size")) return {};
  const Json size = document.at("problem_size");
  if (!size.is_array()) return {{"problem_size", size.value()}};
  if (size.size() > 3) size.refuse(fmt::format("has {} dimensions, at most 3 are known", size.size()));
  Values problem;
  for (std::size_t i = 0; i < size.size(); ++i)
    problem[std::string("problem_size_") + "xyz"[i]] = size.at(i).value();
  return problem;
}

std::vector<std::string> objectives_of(const Json& document) {
  if (!document.has("objective")) return {"time"};
  const Json objective = document.at("objective");
  std::vector<std::string> names = objective.is_array() ? texts(objective) : std::vector{objective.text()};
  if (names.empty()) objective.refuse("names no objective", "for example \"time\"");
  return names;
}

class CachefileReader {
 public:
  CachefileReader(const Json& document, const std::string& file)
      : document_(document), keys_(texts(document.at("tune_params_keys"))), problem_(problem_of(document)) {
    results_.tuner_format = "kernel-tuner";
    results_.system = document.at("kernel_name").text();
    results_.experiment = tuner_file_name(file).experiment;
    results_.device = document.at("device_name").text();
    if (results_.device.empty()) results_.device = "unknown";
    results_.objectives = objectives_of(document);
    nlohmann::json header = nlohmann::json::object();
    for (const auto& [key, place] : document.members())
      if (key != "cache") header[key] = place.json();
    results_.header = header.dump();
  }

  TunerResults read() {
    const Json cache = document_.at("cache");
    if (!cache.is_object()) cache.refuse("must be an object");
    std::map<std::string, std::string> places;  // of configurations: 1 and 1.0 are one value
    for (const auto& [key, place] : cache.members()) {
      TunerTrial one = trial(place, key);
      const auto [same, is_new] = places.emplace(one.configuration.name(), place.pointer());
      if (!is_new)
        place.refuse(fmt::format("the same configuration as {}", same->second), "keep one of the two");
      results_.trials.push_back(std::move(one));
    }
    std::stable_sort(
        results_.trials.begin(), results_.trials.end(),
        [](const TunerTrial& left, const TunerTrial& right) { return left.timestamp < right.timestamp; });
    return std::move(results_);
  }

 private:
  Configuration configuration(const Json& entry, const std::string& key) const {
    Configuration result{results_.system, std::string(kTunerVariant), {}, problem_};
    std::vector<Value> values;
    for (const std::string& name : keys_) {
      if (!entry.has(name))
        entry.refuse(fmt::format("parameter '{}' is missing", name), "tune_params_keys names it");
      values.push_back(entry.at(name).value());
      result.parameters[name] = values.back();
    }
    if (is_key_of(key, values)) return result;
    std::vector<std::string> written;
    std::transform(values.begin(), values.end(), std::back_inserter(written),
                   [](const Value& value) { return to_string(value); });
    entry.refuse(fmt::format("the key does not match the entry's values {}", fmt::join(written, ",")),
                 "a key is the values joined by commas, in the order of tune_params_keys");
  }

  bool is_objective(const std::string& name) const {
    return std::find(results_.objectives.begin(), results_.objectives.end(), name) !=
           results_.objectives.end();
  }

  // Kernel Tuner's word for why the entry has no time; empty if it has one.
  std::string failure(const Json& entry) const {
    std::vector<std::string> fields = results_.objectives;
    fields.insert(fields.begin(), {"__error__", "time"});
    for (const std::string& field : fields) {
      if (!entry.has(field)) continue;
      const Json place = entry.at(field);
      if (place.is_text()) {
        if (!outcome_of_failure(place.text()))
          place.refuse(
              fmt::format("'{}' is neither a number nor a known failure", place.text()),
              "failures are RuntimeFailedConfig, CompilationFailedConfig, InvalidConfig and ErrorConfig");
        return place.text();
      }
      if (place.is_number() && place.real() >= kOldFailure) return "RuntimeFailedConfig";
    }
    return "";
  }

  void add_measurements(const Json& entry, TunerTrial& trial) const {
    const bool failed = trial.outcome != Outcome::correct;
    for (const auto& [name, place] : entry.members()) {
      const bool of_result = is_objective(name) || name == "time";
      if (trial.configuration.parameters.contains(name) || (failed && of_result)) continue;
      const bool is_time = name == "time" || is_tuner_phase(name);
      if (!place.is_number() && !is_time) continue;
      trial.measurements.push_back(
          {name, is_time ? tuner_time(place) : place.real(), is_time ? "ms" : "", is_objective(name)});
    }
  }

  TunerTrial trial(const Json& entry, const std::string& key) const {
    TunerTrial result{.configuration = configuration(entry, key), .detail = failure(entry)};
    if (!result.detail.empty()) result.outcome = *outcome_of_failure(result.detail);
    result.timestamp = entry.text_or_empty("timestamp");
    for (const std::string& name : results_.objectives) {
      if (result.outcome != Outcome::correct) break;
      static_cast<void>(tuner_objective(entry.at(name), name, name == results_.objectives.front()));
    }
    for (std::size_t i = 0; entry.has("times") && i < entry.at("times").size(); ++i)
      result.times_ms.push_back(tuner_time(entry.at("times").at(i)));
    add_measurements(entry, result);
    return result;
  }

  Json document_;
  std::vector<std::string> keys_;
  Values problem_;
  TunerResults results_;
};

}  // namespace

TunerResults read_cachefile(const Json& document, const std::string& file) {
  return CachefileReader(document, file).read();
}

}  // namespace tailwave
