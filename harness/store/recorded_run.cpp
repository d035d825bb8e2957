#include "store/recorded_run.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "store/rows.h"

namespace tailwave {
namespace {

std::string name(const RecordedJson& place) {
  if (!names_a_file(place.text())) place.refuse("'" + place.text() + "' is a path and no name");
  return place.text();
}

RunRecord run_record(const RecordedJson& place, const RecordedJson& document) {
  RunRecord record;
  record.experiment = name(document.at("experiment"));
  record.system = name(document.at("system"));
  record.question = place.at("question").text();
  record.metric = place.at("metric").text();
  record.maximise = place.at("maximise").flag();
  record.spec_file = place.at("spec_file").text();
  record.spec_hash = place.at("spec_hash").text();
  record.spec_text = place.at("spec_text").text();
  record.fresh = place.at("fresh").flag();
  record.started_at = place.at("started_at").text();
  record.host = place.at("host").text();
  record.driver = place.at("driver").text();
  record.compiler = place.at("compiler").text();
  record.host_compiler = place.at("host_compiler").text();
  record.commit = place.at("project_commit").text();
  record.tailwave_version = place.at("tailwave_version").text();
  if (place.has("clocks")) record.clocks = place.at("clocks").dump();
  record.occupancy_device = place.at("occupancy_device").text();
  if (place.has("seed")) record.seed = place.at("seed").whole();
  return record;
}

using EndTimes = std::map<std::string, std::string>;  // of trials, by the name of the configuration

std::vector<EndTimes> end_times(const RecordedJson& document) {
  const std::string system = document.at("system").text();
  std::vector<EndTimes> runs(document.at("runs").size());
  const RecordedJson trials = document.at("trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const RecordedJson trial = trials.at(i);
    runs.at(trial.at("run").index(runs.size()))[recorded_configuration(trial, system).name()] =
        trial.at("finished_at").text();
  }
  return runs;
}

// Whether a trial ended at the same time, which a database knows to the millisecond; none: no configuration in common.
std::optional<bool> shares_a_trial(Database& database, std::int64_t run, const EndTimes& recorded) {
  std::optional<bool> shares;
  Statement statement = database.prepare(
      "SELECT name, finished_at FROM trial JOIN configuration ON configuration.id = configuration_id "
      "WHERE run_id = ?");
  statement.bind_all(run);
  while (statement.step()) {
    const auto found = recorded.find(statement.text(0));
    if (found == recorded.end()) continue;
    if (found->second == statement.text(1)) return true;
    shares = false;
  }
  return shares;
}

// Of those that are not `taken` by another run of the recording. Several may have begun together: a search and the run of its
// leaders on a fast machine, or runs of two programs.
std::optional<std::int64_t> find_run(Database& database, const RunRecord& record, std::int64_t device,
                                     const std::string& finished_at, const EndTimes& trials,
                                     const std::vector<std::int64_t>& taken) {
  Statement known = database.prepare(R"(
    SELECT id, coalesce(finished_at, '') FROM run WHERE system = ? AND experiment = ? AND device_id = ?
      AND started_at = ? AND host = ? AND spec_hash = ? ORDER BY id)");
  known.bind_all(record.system, record.experiment, device, record.started_at, record.host, record.spec_hash);
  std::optional<std::int64_t> found;
  while (known.step()) {
    const std::int64_t id = known.integer(0);
    if (std::find(taken.begin(), taken.end(), id) != taken.end()) continue;
    const std::optional<bool> shares = shares_a_trial(database, id, trials);
    if (shares == true) return id;
    const bool may_be = known.text(1).empty() || finished_at.empty() || known.text(1) == finished_at;
    if (!shares && !found && may_be) found = id;
  }
  return found;
}

std::int64_t insert_recorded_run(Database& database, const RunRecord& record, std::int64_t device,
                                 const RecordedJson& place, const std::string& file) {
  const std::string status = place.at("status").text();
  const std::optional<std::string> finished_at =
      status == "running" ? std::nullopt : std::optional(place.at("finished_at").text());
  return place.guarded([&] {
    const std::int64_t id = insert_run(database, device, record);
    database.prepare("UPDATE run SET status = ?, finished_at = ?, recorded_from = ? WHERE id = ?")
        .bind_all(status, finished_at, file, id)
        .run();
    return id;
  });
}

}  // namespace

Configuration recorded_configuration(const RecordedJson& trial, const std::string& system) {
  return {system, trial.at("variant").text(), trial.at("parameters").values(), trial.at("problem").values()};
}

std::vector<std::int64_t> import_runs(Database& database, const RecordedJson& document,
                                      const std::vector<std::int64_t>& devices, const std::string& file) {
  const std::vector<EndTimes> trials = end_times(document);
  std::vector<std::int64_t> runs;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const RecordedJson place = document.at("runs").at(i);
    const RunRecord record = run_record(place, document);
    const std::int64_t device = devices.at(place.at("device").index(devices.size()));
    const std::optional<std::int64_t> known =
        find_run(database, record, device, place.text_or_empty("finished_at"), trials[i], runs);
    runs.push_back(known ? *known : insert_recorded_run(database, record, device, place, file));
  }
  return runs;
}

}  // namespace tailwave
