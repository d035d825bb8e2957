// import_recorded: JSON text -> rows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "interchange/cachefile_import.h"
#include "interchange/observed_json.h"
#include "interchange/recorded.h"
#include "interchange/recorded_format.h"
#include "interchange/recorded_run.h"
#include "interchange/recorded_search.h"
#include "interchange/t4_import.h"
#include "interchange/tuner_results.h"
#include "interchange/tuner_rows.h"
#include "json/json.h"
#include "json/json_file.h"
#include "store/rows.h"

namespace tailwave {
namespace {

Dim3 dim3(const Json& launch, const std::string& name) {
  return {launch.at(name + "_x").whole(), launch.at(name + "_y").whole(), launch.at(name + "_z").whole()};
}

KernelResources resources(const Json& launch) {
  KernelResources kernel;
  kernel.kernel = launch.at("kernel").text();
  kernel.registers = launch.at("registers").small();
  kernel.spill_bytes = launch.at("spill_bytes").small();
  kernel.stack_bytes = launch.at("stack_bytes").small();
  kernel.barriers = launch.at("barriers").small();
  kernel.max_threads = launch.at("max_threads").small();
  kernel.static_shared_bytes = launch.at("static_shared_bytes").whole();
  return kernel;
}

Occupancy occupancy(const Json& launch) {
  Occupancy result;
  result.blocks_per_sm = launch.at("blocks_per_sm").small();
  result.occupancy = launch.at("occupancy").real();
  result.limiter = launch.text_or_empty("limiter");
  result.limit_registers = launch.at("limit_registers").small();
  result.limit_shared_memory = launch.at("limit_shared_memory").small();
  result.limit_warps = launch.at("limit_warps").small();
  result.limit_blocks = launch.at("limit_blocks").small();
  return result;
}

Waves waves(const Json& launch) {
  Waves result;
  result.waves = launch.at("waves").real();
  result.full_waves = launch.at("full_waves").whole();
  result.tail_fraction = launch.at("tail_fraction").real();
  result.quantisation_efficiency = launch.at("quantisation_efficiency").real();
  result.active_sms = launch.at("active_sms").whole();
  return result;
}

LaunchRecord launch(const Json& place, int position) {
  LaunchRecord record;
  record.position = place.has("position") ? place.at("position").small() : position;
  record.kernel = place.at("kernel").text();
  record.grid = dim3(place, "grid");
  record.block = dim3(place, "block");
  record.dynamic_shared_bytes = place.at("dynamic_shared_bytes").whole();
  record.occupancy_device = place.text_or_empty("occupancy_device");
  if (place.has("registers")) record.resources = resources(place);
  if (place.has("blocks_per_sm")) record.occupancy = occupancy(place);
  if (place.has("waves")) record.waves = waves(place);
  if (place.has("driver_blocks_per_sm"))
    record.driver_blocks_per_sm = place.at("driver_blocks_per_sm").small();
  if (place.has("count")) record.count = place.at("count").whole();
  return record;
}

Verification verification(const Json& place) {
  Verification result;
  result.phase = place.at("phase").text();
  result.buffer = place.at("buffer").text();
  result.norm = place.at("norm").text();
  result.error = place.has("error") ? place.at("error").real() : std::numeric_limits<double>::quiet_NaN();
  result.tolerance = place.at("tolerance").real();
  result.passed = place.at("passed").flag();
  result.detail = place.text_or_empty("detail");
  return result;
}

std::vector<Sample> samples(const Json& place) {
  const std::size_t count = place.at("time_ns").size();
  for (const char* column : {"repetition", "position", "executions"}) {
    if (place.at(column).size() != count)
      place.at(column).refuse(fmt::format("has {} values, time_ns has {}", place.at(column).size(), count));
  }
  std::vector<Sample> result;
  for (std::size_t i = 0; i < count; ++i) {
    Sample sample;
    sample.repetition = place.at("repetition").at(i).small();
    sample.position = place.at("position").at(i).small();
    sample.time_ns = place.at("time_ns").at(i).real();
    sample.executions = place.at("executions").at(i).small();
    sample.dropped = place.at("dropped").text_or_empty(std::to_string(i));
    if (place.has("sequence")) sample.sequence = place.at("sequence").at(i).whole();
    if (place.has("sm_clock_mhz")) sample.sm_clock_mhz = place.at("sm_clock_mhz").at(i).real();
    if (place.has("temperature_c")) sample.temperature_c = place.at("temperature_c").at(i).real();
    if (place.has("throttle_reasons")) sample.throttle_reasons = place.at("throttle_reasons").at(i).text();
    result.push_back(std::move(sample));
  }
  return result;
}

BuildRecord build(const Json& place) {
  return {place.at("key").text(),     place.at("compiler").text(),  place.at("target").text(),
          place.at("options").text(), place.at("code_hash").text(), place.at("log").text(),
          place.at("seconds").real(), place.at("from_cache").flag()};
}

Trial trial(const Json& place, const std::string& system) {
  Trial result;
  result.key = place.at("key").text();
  result.configuration = recorded_configuration(place, system);
  const auto outcome = parse_outcome(place.at("outcome").text());
  if (!outcome) place.at("outcome").refuse("unknown outcome '" + place.at("outcome").text() + "'");
  result.outcome = *outcome;
  result.detail = place.text_or_empty("detail");
  result.timer = place.text_or_empty("timer");
  result.mode = place.text_or_empty("mode");
  result.stopped_by = place.text_or_empty("stopped_by");
  result.same_as = place.text_or_empty("same_as");
  result.work = place.at("work").values();
  if (place.has("build")) result.build = build(place.at("build"));
  for (std::size_t i = 0; i < place.at("launches").size(); ++i)
    result.launches.push_back(launch(place.at("launches").at(i), static_cast<int>(i)));
  for (std::size_t i = 0; i < place.at("verifications").size(); ++i)
    result.verifications.push_back(verification(place.at("verifications").at(i)));
  for (std::size_t i = 0; place.has("limits") && i < place.at("limits").size(); ++i) {
    const Json limit = place.at("limits").at(i);
    result.limits.push_back({limit.at("name").text(), limit.at("time_ns").real()});
  }
  result.samples = samples(place.at("samples"));
  if (*outcome != Outcome::correct && !result.samples.empty())
    place.at("samples").refuse("a trial that is not correct has samples");
  return result;
}

std::optional<std::int64_t> find_trial(Database& database, std::int64_t run_id,
                                       const Configuration& configuration) {
  Statement statement = database.prepare(
      "SELECT trial.id FROM trial JOIN configuration ON configuration.id = configuration_id WHERE run_id = ? "
      "AND name = ?");
  if (!statement.bind_all(run_id, configuration.name()).step()) return std::nullopt;
  return statement.integer(0);
}

// Whether what was found of it is something else than the file says.
bool differs(Database& database, std::int64_t trial_id, const Json& place) {
  const nlohmann::json stored = recorded_trial(database, trial_id);
  const nlohmann::json given = place.json();
  const nlohmann::json none;
  const auto member = [&none](const nlohmann::json& trial, const char* name) -> const nlohmann::json& {
    return trial.contains(name) ? trial.at(name) : none;
  };
  constexpr std::array<const char*, 7> kFound{"key",  "outcome", "detail",       "mode",
                                              "work", "samples", "verifications"};
  return std::any_of(kFound.begin(), kFound.end(),
                     [&](const char* name) { return member(stored, name) != member(given, name); });
}

// Trials that are there already and differ from those of a file.
struct Differing {
  int count = 0;
  std::string first;

  [[nodiscard]] std::string remark() const {
    if (count == 0) return "";
    return fmt::format(
        "{} of them have other values in the file, which were left out ({}); import it into another database "
        "to have both",
        count, first);
  }
};

ImportSummary import_document(Database& database, const Json& document, const std::string& file) {
  ImportSummary summary{.experiment = document.at("experiment").text(),
                        .device = document.at("device").text()};
  std::vector<std::int64_t> devices;
  for (std::size_t i = 0; i < document.at("devices").size(); ++i) {
    const Json place = document.at("devices").at(i);
    const DeviceRecord device = read_device(place);
    devices.push_back(place.guarded([&] { return find_or_insert_device(database, device); }));
  }
  const std::vector<std::int64_t> runs = import_runs(database, document, devices, file);
  std::vector<std::string> remarks{import_searches(database, document, runs), remark_of_unfinished(document)};
  Differing differing;
  const Json trials = document.at("trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Json place = trials.at(i);
    const Trial one = trial(place, document.at("system").text());
    const std::int64_t run_id = runs.at(place.at("run").index(runs.size()));
    const std::int64_t device_id = devices.at(place.at("device").index(devices.size()));
    if (const auto present = find_trial(database, run_id, one.configuration)) {
      ++summary.trials_present;
      if (differs(database, *present, place) && differing.count++ == 0)
        differing.first = one.configuration.name();
      continue;
    }
    const std::int64_t id = place.guarded([&] { return insert_trial(database, run_id, device_id, one); });
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
