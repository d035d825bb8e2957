#include "interchange/t4_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "interchange/tuner_results.h"
#include "interchange/tuner_words.h"

namespace tailwave {
namespace {

TunerTimeUnit time_unit(const Json& place) {
  const std::string name = place.text();
  const std::optional<TunerTimeUnit> unit = tuner_time_unit(name);
  if (!unit)
    place.refuse(fmt::format("unknown time unit '{}'", name),
                 "use nanoseconds, microseconds, milliseconds or seconds");
  return *unit;
}

TunerTimeUnit file_time_unit(const Json& document) {
  if (!document.has("metadata") || !document.at("metadata").has("timeunit")) return *tuner_time_unit("ms");
  return time_unit(document.at("metadata").at("timeunit"));
}

// The first of these texts in the metadata, or `otherwise`.
std::string from_metadata(const Json& document, std::initializer_list<const char*> names,
                          const std::string& otherwise) {
  if (!document.has("metadata")) return otherwise;
  const Json metadata = document.at("metadata");
  for (const char* name : names)
    if (metadata.has(name)) return metadata.at(name).text();
  return otherwise;
}

void require_known_format(const Json& document) {
  if (document.has("schema_version")) {
    const Json version = document.at("schema_version");
    if (!version.text().starts_with("1."))
      version.refuse(fmt::format("T4 {}, but this tailwave reads 1.0.0", version.text()));
  }
  if (document.has("metadata") && !document.at("metadata").is_object())
    document.at("metadata").refuse("must be an object");
}

class T4Reader {
 public:
  T4Reader(const Json& document, const std::string& file)
      : document_(document), unit_(file_time_unit(document)) {
    const TunerFileName name = tuner_file_name(file);
    results_.tuner_format = "t4";
    results_.system = from_metadata(document, {"kernel_name"}, name.before);
    results_.experiment = name.experiment;
    results_.device = from_metadata(document, {"device", "device_name"}, name.after);
    if (results_.device.empty()) results_.device = "unknown";
    if (document.has("metadata") && document.at("metadata").has("problem"))
      problem_ = document.at("metadata").at("problem").values();
  }

  TunerResults read() {
    const Json results = document_.at("results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      TunerTrial one = trial(results.at(i));
      const auto [same, is_new] = places_.emplace(one.configuration.name(), i);
      if (!is_new)
        results.at(i).refuse(fmt::format("the same configuration as /results/{}", same->second),
                             "keep one of the two");
      results_.trials.push_back(std::move(one));
    }
    results_.header = header();
    return std::move(results_);
  }

 private:
  // All that is not a result, and which of its two names the time of compiling has.
  std::string header() const {
    nlohmann::json header = nlohmann::json::object();
    for (const auto& [key, place] : document_.members())
      if (key != "results" && key != "compilation") header[key] = place.json();
    header["objectives"] = results_.objectives;
    if (!compilation_.empty()) header["compilation"] = compilation_;
    return header.dump();
  }

  Configuration configuration(const Json& place) const {
    Configuration result{results_.system, std::string(kTunerVariant), place.values(), problem_};
    if (results_.trials.empty()) return result;
    for (const auto& [name, value] : results_.trials.front().configuration.parameters) {
      if (!result.parameters.contains(name))
        place.refuse(fmt::format("parameter '{}' is missing", name), "the first result has it");
    }
    for (const auto& [name, value] : result.parameters) {
      if (!results_.trials.front().configuration.parameters.contains(name))
        place.at(name).refuse("the first result has no such parameter", "give it in all results, or in none");
    }
    return result;
  }

  static Outcome outcome(const Json& result) {
    const Json place = result.at("invalidity");
    const auto known = outcome_of_invalidity(place.text());
    if (!known)
      place.refuse(fmt::format("unknown invalidity '{}'", place.text()),
                   "it is correct, compile, runtime, correctness, timeout or constraints");
    if (*known == Outcome::correct && result.at("correctness").real() == 0)
      result.at("correctness").refuse("is 0, yet the invalidity is 'correct'");
    return *known;
  }

  void add_times(const Json& times, TunerTrial& trial) {
    for (std::size_t i = 0; times.has("runtimes") && i < times.at("runtimes").size(); ++i)
      trial.times_ms.push_back(tuner_time(times.at("runtimes").at(i)) * unit_.in_ms);
    for (const TunerPhase& phase : tuner_phases()) {
      const std::string name(phase.t4);
      const bool known =
          std::any_of(trial.measurements.begin(), trial.measurements.end(),
                      [&](const TunerMeasurement& one) { return one.name == phase.cachefile; });
      if (!times.has(name) || known) continue;
      trial.measurements.push_back(
          {std::string(phase.cachefile), tuner_time(times.at(name)) * unit_.in_ms, "ms", false});
      if (name.starts_with("compilation") && compilation_.empty()) compilation_ = name;
    }
  }

  void add_measurement(const Json& place, const std::vector<std::string>& objectives, TunerTrial& trial) {
    const std::string name = place.at("name").text();
    const bool objective = std::find(objectives.begin(), objectives.end(), name) != objectives.end();
    const Json value = place.at("value");
    const bool correct = trial.outcome == Outcome::correct;
    if (objective && !correct && value.is_text()) trial.detail = value.text();
    if (objective && correct) static_cast<void>(tuner_objective(value, name, name == objectives.front()));
    if (!value.is_number() || (objective && !correct)) return;
    if (std::any_of(trial.measurements.begin(), trial.measurements.end(),
                    [&](const TunerMeasurement& other) { return other.name == name; }))
      place.refuse(fmt::format("'{}' is measured twice", name), "keep one of the two");
    trial.measurements.push_back({name, name == "time" ? tuner_time(value) : value.real(),
                                  unit_of(place, name, objective), objective});
  }

  // As the file has it; all values of an objective can be compared: they have one unit, or are times.
  std::string unit_of(const Json& place, const std::string& name, bool objective) {
    const bool is_time = name == "time";
    std::string unit = place.text_or_empty("unit");
    if (is_time && !unit.empty()) static_cast<void>(time_unit(place.at("unit")));
    if (unit.empty() && objective && is_time && unit_.in_ms != 1) unit = unit_.symbol;
    if (!objective) return unit;
    const std::string& first = units_.emplace(name, unit).first->second;
    const bool are_times = is_time || (tuner_time_unit(unit) && tuner_time_unit(first));
    if (unit != first && !are_times)
      place.refuse(fmt::format("the unit of '{}' is '{}', but was '{}' before", name, unit, first),
                   "an objective has one unit, or units of time");
    return unit;
  }

  std::vector<std::string> objectives(const Json& result) const {
    if (!result.has("objectives")) return {"time"};
    std::vector<std::string> names;
    const Json place = result.at("objectives");
    for (std::size_t i = 0; i < place.size(); ++i) names.push_back(place.at(i).text());
    if (names.empty()) place.refuse("names no objective", "for example [\"time\"]");
    if (!results_.trials.empty() && names != results_.objectives)
      place.refuse(fmt::format("the first result's are {}", fmt::join(results_.objectives, ", ")),
                   "results with other objectives belong into another file");
    return names;
  }

  // A correct result has the objective that it costs, or runtimes in the place of a time.
  void require_cost(const Json& result, const TunerTrial& one) const {
    const std::string& cost = results_.objectives.front();
    const bool has_cost = std::any_of(
        one.measurements.begin(), one.measurements.end(),
        [&](const TunerMeasurement& measured) { return measured.objective && measured.name == cost; });
    if (has_cost || one.outcome != Outcome::correct) return;
    if (cost != "time")
      result.refuse(fmt::format("is correct, but its objective '{}' is not among the measurements", cost));
    const bool has_times = !one.times_ms.empty() && std::all_of(one.times_ms.begin(), one.times_ms.end(),
                                                                [](double ms) { return ms > 0; });
    if (!has_times)
      result.refuse("is correct, but has neither its objective among the measurements nor runtimes above 0");
  }

  TunerTrial trial(const Json& result) {
    TunerTrial one{.configuration = configuration(result.at("configuration")), .outcome = outcome(result)};
    one.timestamp = result.text_or_empty("timestamp");
    const std::vector<std::string> names = objectives(result);
    if (results_.objectives.empty()) results_.objectives = names;
    add_times(result.at("times"), one);
    for (std::size_t i = 0; result.has("measurements") && i < result.at("measurements").size(); ++i)
      add_measurement(result.at("measurements").at(i), names, one);
    require_cost(result, one);
    return one;
  }

  Json document_;
  TunerTimeUnit unit_;                        // of times that name none
  std::map<std::string, std::string> units_;  // of objectives, where they first occur
  Values problem_;
  std::string compilation_;
  std::map<std::string, std::size_t> places_;
  TunerResults results_;
};

}  // namespace

TunerResults read_t4(const Json& document, const std::string& file) {
  require_known_format(document);
  return T4Reader(document, file).read();
}

}  // namespace tailwave
