#include "interchange/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/hash.h"
#include "json/members_json.h"
#include "spec/names.h"
#include "store/gpu_store.h"
#include "store/rows.h"
#include "store/run_identity.h"

namespace tailwave {

std::string recorded_name(const Json& place) {
  std::string name = place.text();
  if (name.empty()) place.refuse("there is no name");
  if (!names_a_file(name)) place.refuse("'" + name + "' is a path and no name");
  return name;
}

std::string recorded_system(const Json& place) {
  std::string name = recorded_name(place);
  const std::string why = why_not_a_name(name);
  if (!why.empty() && !why_not_a_kernel(name).empty())  // other tuners call a system as its kernel
    place.refuse(fmt::format("the system '{}' {}", name, why));
  return name;
}

namespace {

RunRecord run_record(const Json& place, const Json& document) {
  auto record = read_record<RunRecord>(place);
  record.experiment = recorded_name(document.at("experiment"));
  record.system = recorded_system(document.at("system"));
  if (!record.identity.empty() && !is_run_identity(record.identity))
    place.at("identity").refuse("no identity of a run: 32 hexadecimal digits, small ones");
  if (place.has("clocks")) record.clocks = place.at("clocks").dump();
  return record;
}

using EndTimes = std::map<std::string, std::string>;  // of trials, by name_of_trial()

std::string name_of_trial(const std::string& configuration, const std::string& regime) {
  return regime.empty() ? configuration : configuration + " " + regime;
}

std::vector<EndTimes> end_times(const Json& document) {
  const std::string system = document.at("system").text();
  std::vector<EndTimes> runs(document.at("runs").size());
  const Json trials = document.at("trials");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Json trial = trials.at(i);
    const std::string name =
        name_of_trial(recorded_configuration(trial, system).name(), trial.text_or_empty("regime"));
    runs.at(trial.at("run").index(runs.size()))[name] = trial.at("finished_at").text();
  }
  return runs;
}

// Whether a trial ended at the same time, which a database knows to the millisecond.
bool shares_a_trial(Database& database, std::int64_t run, const EndTimes& recorded) {
  Statement statement = database.prepare(
      "SELECT name, finished_at, coalesce(regime, '') FROM trial "
      "JOIN configuration ON configuration.id = configuration_id WHERE run_id = ?");
  statement.bind_all(run);
  while (statement.step()) {
    const auto found = recorded.find(name_of_trial(statement.text(0), statement.text(2)));
    if (found != recorded.end() && found->second == statement.text(1)) return true;
  }
  return false;
}

// Of those that are not `taken` by another run of the recording. Several may have begun together: a search and the
// run of its leaders on a fast machine, or runs of two programs.
std::optional<std::int64_t> find_run(Database& database, const RunRecord& record, std::int64_t device,
                                     const EndTimes& trials, const std::vector<std::int64_t>& taken) {
  Statement same = database.prepare("SELECT id FROM run WHERE identity = ? AND device_id = ?");
  if (same.bind_all(record.identity, device).step()) return same.integer(0);
  Statement known = database.prepare(R"(
    SELECT id FROM run WHERE system = ? AND experiment = ? AND device_id = ? AND started_at = ? AND host = ?
      AND spec_hash = ? ORDER BY id)");
  known.bind_all(record.system, record.experiment, device, record.started_at, record.host, record.spec_hash);
  while (known.step()) {
    const std::int64_t id = known.integer(0);
    const bool is_taken = std::find(taken.begin(), taken.end(), id) != taken.end();
    if (!is_taken && shares_a_trial(database, id, trials)) return id;
  }
  return std::nullopt;
}

bool has_ended(const Json& run) {
  return run.at("status").enumerator<RunStatus>() != RunStatus::running;
}

// In whole seconds, as those of runs are.
std::string last_end(const EndTimes& trials, const std::string& started_at) {
  std::string last;
  for (const auto& [configuration, time] : trials) last = std::max(last, time);
  const std::size_t fraction = last.find('.');
  if (fraction != std::string::npos) last = last.substr(0, fraction) + "Z";
  return std::max(last, started_at);
}

struct RunEnd {
  RunStatus status = RunStatus::done;
  std::string finished_at;
};

RunEnd end_of(const Json& run, const EndTimes& trials) {
  if (has_ended(run)) return {run.at("status").enumerator<RunStatus>(), run.at("finished_at").text()};
  return {RunStatus::interrupted, last_end(trials, run.at("started_at").text())};
}

// Of a run that is new here, or that was recorded again after it had gone on.
void set_end(Database& database, std::int64_t run, const RunEnd& end) {
  database
      .prepare(R"(
    UPDATE run SET status = :status, finished_at = :finished_at
    WHERE id = :run AND recorded_from IS NOT NULL
      AND (finished_at IS NULL OR (finished_at, status = 'done') < (:finished_at, :status = 'done')))")
      .bind(":run", run)
      .bind(":status", end.status)
      .bind(":finished_at", end.finished_at)
      .run();
}

// Of a run on several GPUs; `devices`: the ids of the recording's.
void import_gpu_factors(Database& database, std::int64_t run, const Json& place,
                        const std::vector<std::int64_t>& devices) {
  if (!place.has("gpu_factors")) return;
  std::vector<StoredGpuFactor> factors;
  for (const Json& one : place.at("gpu_factors").items()) {
    StoredGpuFactor& factor = factors.emplace_back();
    factor.device = devices.at(one.at("device").index(devices.size()));
    factor.factor = one.at("factor").real();
    if (one.has("low")) factor.interval = Interval{one.at("low").real(), one.at("high").real()};
    factor.ratios = one.at("ratios").whole();
  }
  place.at("gpu_factors").guarded([&] { set_gpu_factors(database, run, factors); });
}

// What a recording without identities says of a run, and goes on saying when the run has gone on.
std::string facts_of(const RunRecord& record, const EndTimes& trials) {
  const auto first =
      std::ranges::min_element(trials, {}, [](const auto& one) { return std::pair(one.second, one.first); });
  FieldHasher facts;
  facts.add(record.system).add(record.experiment).add(record.started_at).add(record.host);
  facts.add(record.spec_hash);
  if (first != trials.end()) facts.add(first->first).add(first->second);
  return facts.digest();
}

std::int64_t insert_recorded_run(Database& database, RunRecord record, std::int64_t device,
                                 const EndTimes& trials, const std::string& file) {
  Statement taken = database.prepare("SELECT 1 FROM run WHERE identity = ?");
  if (record.identity.empty())
    record.identity = recorded_run_identity(database, record.started_at, facts_of(record, trials));
  else if (taken.bind_all(record.identity)
               .step())  // the file says of another device what was measured on one
    record.identity = new_run_identity(database, record.started_at);
  const std::int64_t id = insert_run(database, device, record);
  database.prepare("UPDATE run SET recorded_from = ? WHERE id = ?").bind_all(file, id).run();
  return id;
}

}  // namespace

Configuration recorded_configuration(const Json& trial, const std::string& system) {
  auto configuration = read_record<Configuration>(trial);
  configuration.system = system;
  return configuration;
}

std::vector<std::int64_t> import_runs(Database& database, const Json& document,
                                      const std::vector<std::int64_t>& devices, const std::string& file) {
  const std::vector<EndTimes> trials = end_times(document);
  std::vector<std::int64_t> runs;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Json place = document.at("runs").at(i);
    const RunRecord record = run_record(place, document);
    const std::int64_t device = devices.at(place.at("device").index(devices.size()));
    const RunEnd end = end_of(place, trials[i]);
    runs.push_back(place.guarded([&] {
      const auto known = find_run(database, record, device, trials[i], runs);
      const std::int64_t run =
          known ? *known : insert_recorded_run(database, record, device, trials[i], file);
      set_end(database, run, end);
      import_gpu_factors(database, run, place, devices);
      return run;
    }));
  }
  return runs;
}

std::string remark_of_unfinished(const Json& document) {
  for (std::size_t i = 0; i < document.at("runs").size(); ++i)
    if (!has_ended(document.at("runs").at(i)))
      return "a run in it had not ended when it was recorded, and is kept as interrupted";
  return "";
}

}  // namespace tailwave
