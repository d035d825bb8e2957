#include "interchange/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "interchange/cachefile_import.h"
#include "interchange/export.h"
#include "interchange/observed_import.h"
#include "interchange/recorded_format.h"
#include "interchange/recorded_regimes.h"
#include "interchange/recorded_run.h"
#include "interchange/recorded_search.h"
#include "interchange/t4_import.h"
#include "interchange/tuner_results.h"
#include "interchange/tuner_rows.h"
#include "json/json.h"
#include "json/json_file.h"
#include "json/members_json.h"
#include "store/energy_store.h"
#include "store/metric_store.h"
#include "store/rows.h"

namespace tailwave {
namespace {

// A sample in the arrays of all of them, as an object of its own would be.
struct SampleColumns {
  const Json& samples;
  std::size_t index;

  [[nodiscard]] Json column(const std::string& name) const { return samples.at(name); }
  [[nodiscard]] bool has(const std::string& name) const {
    if (!samples.has(name)) return false;
    return name == kSparseColumn ? column(name).has(std::to_string(index))
                                 : column(name).at(index).type() != "null";
  }
  [[nodiscard]] Json at(const std::string& name) const {
    return name == kSparseColumn ? column(name).at(std::to_string(index)) : column(name).at(index);
  }
};

std::vector<Sample> samples(const Json& place) {
  const std::size_t count = place.at("time_ns").size();
  for (const std::string& column : column_names<Sample>()) {
    if (column == kSparseColumn || (!place.has(column) && may_be_absent<Sample>(column))) continue;
    if (place.at(column).size() != count)
      place.at(column).refuse(fmt::format("has {} values, time_ns has {}", place.at(column).size(), count));
  }
  std::vector<Sample> result;
  for (std::size_t i = 0; i < count; ++i) {
    const Sample& sample = result.emplace_back(read_record<Sample>(SampleColumns{place, i}));
    if (!std::isfinite(sample.time_ns) || sample.time_ns < 0)
      place.at("time_ns").at(i).refuse("a time has to be finite and not negative");
  }
  return result;
}

template <Record R>
std::vector<R> records(const Json& list) {
  std::vector<R> all;
  for (std::size_t i = 0; i < list.size(); ++i) all.push_back(read_record<R>(list.at(i)));
  return all;
}

// A launch of an older recording, which may leave its place in the plan to that in the list.
struct NumberedLaunch {
  const Json& launch;
  Json position;

  [[nodiscard]] bool has(const std::string& name) const { return launch.has(name); }
  [[nodiscard]] Json at(const std::string& name) const {
    return name == "position" && !has(name) ? position : launch.at(name);
  }
};

std::vector<LaunchRecord> launches(const Json& list) {
  std::vector<LaunchRecord> all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    all.push_back(read_record<LaunchRecord>(NumberedLaunch{list.at(i), Json(nlohmann::ordered_json(i), "")}));
  }
  return all;
}

Trial trial(const Json& place, const std::string& system) {
  auto result = read_record<Trial>(place);
  result.configuration = recorded_configuration(place, system);
  if (place.has("build")) result.build = read_record<BuildRecord>(place.at("build"));
  result.launches = launches(place.at("launches"));
  result.verifications = records<Verification>(place.at("verifications"));
  if (place.has("limits")) result.limits = records<LimitRecord>(place.at("limits"));
  result.samples = samples(place.at("samples"));
  if (result.outcome != Outcome::correct && !result.samples.empty())
    place.at("samples").refuse("a trial that is not correct has samples");
  if ((result.outcome == Outcome::given_up) != result.at_least_ns.has_value())
    place.refuse("'at_least_ns' is of a trial that was given up, and of no other");
  if (result.at_least_ns && !(*result.at_least_ns > 0)) place.at("at_least_ns").refuse("not a time");
  return result;
}

// Whether what was found of it is something else than the file says.
bool differs(Database& database, std::int64_t trial_id, const Json& place) {
  const nlohmann::json stored = recorded_trial(database, trial_id);
  const nlohmann::json given = place.json();
  const nlohmann::json none;
  const auto part = [&none](const nlohmann::json& trial, const char* name) -> const nlohmann::json& {
    return trial.contains(name) ? trial.at(name) : none;
  };
  const auto is_other = [&](const char* name) { return part(stored, name) != part(given, name); };
  bool any = is_other("samples") || is_other("verifications");
  for_each_member<Trial, kNotJson>([&](const auto& one) { any = any || is_other(one.name); });
  return any;
}

// Trials that are there already and differ from those of a file.
struct Differing {
  int count = 0;
  std::string first;

  [[nodiscard]] std::string remark() const {
    if (count == 0) return "";
    return fmt::format(
        "{} of them have other values in the file, which were left out ({}); "
        "import it into another database to have both",
        count, first);
  }
};

ImportSummary import_document(Database& database, const Json& document, const std::string& file) {
  ImportSummary summary{.experiment = document.at("experiment").text(),
                        .device = document.at("device").text()};
  std::vector<std::int64_t> devices;
  for (std::size_t i = 0; i < document.at("devices").size(); ++i) {
    const Json place = document.at("devices").at(i);
    const auto device = read_record<DeviceDescription>(place);
    devices.push_back(place.guarded([&] { return find_or_insert_device(database, device); }));
  }
  const std::vector<std::int64_t> runs = import_runs(database, document, devices, file);
  std::vector<std::string> remarks{import_searches(database, document, runs), remark_of_unfinished(document)};
  import_regimes(database, document, runs);
  Differing differing;
  const Json trials = document.at("trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Json place = trials.at(i);
    const Trial one = trial(place, document.at("system").text());
    const std::int64_t run_id = runs.at(place.at("run").index(runs.size()));
    const std::int64_t device_id = devices.at(place.at("device").index(devices.size()));
    if (const auto present = ResultStore(database).trial_of(run_id, one.configuration, one.regime)) {
      ++summary.trials_present;
      if (differs(database, *present, place) && differing.count++ == 0)
        differing.first = one.configuration.name();
      continue;
    }
    const std::int64_t id = place.guarded([&] { return insert_trial(database, run_id, device_id, one); });
    if (place.has("energy")) {
      const auto energy = read_record<EnergyRecord>(place.at("energy"));
      place.at("energy").guarded([&] { insert_energy(database, id, energy); });
    }
    if (place.has("metrics")) {
      const auto metrics = records<MetricRecord>(place.at("metrics"));
      place.at("metrics").guarded([&] { insert_metrics(database, id, metrics); });
    }
    database.prepare("UPDATE trial SET finished_at = ? WHERE id = ?")
        .bind_all(place.at("finished_at").text(), id)
        .run();
    ++summary.trials_added;
  }
  remarks.push_back(differing.remark());
  std::erase(remarks, "");
  summary.remark = fmt::format("{}", fmt::join(remarks, "; "));
  return summary;
}

ImportSummary import_any(Database& database, const Json& document, bool mended, const std::string& file) {
  const auto has_any = [&](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return document.has(key); });
  };
  if (has_any({"cache", "tune_params", "tune_params_keys"})) {
    TunerResults results = read_cachefile(document, file);
    results.unfinished = mended;
    return store_tuner_results(database, results, file);
  }
  const bool is_t4 = document.has("schema_version") && document.at("schema_version").is_text();
  if (is_t4 || document.has("results")) return store_tuner_results(database, read_t4(document, file), file);
  if (!has_any({"schema_version", "experiment", "trials", "traces"}))
    document.refuse("has none of the formats of results that tailwave reads",
                    "they are its own, T4, and cachefiles of Kernel Tuner");
  const Json version = document.at("schema_version");
  if (version.whole() != kRecordedVersion)
    version.refuse(fmt::format("version {}, but this tailwave reads {}", version.whole(), kRecordedVersion));
  return document.has("traces") ? import_observed(database, document, file)
                                : import_document(database, document, file);
}

}  // namespace

ImportSummary import_recorded(Database& database, const std::filesystem::path& file) {
  const JsonFile read = read_json_file(file);
  Transaction transaction(database);
  ImportSummary summary = import_any(database, read.document, read.mended, file.string());
  transaction.commit();
  return summary;
}

}  // namespace tailwave
