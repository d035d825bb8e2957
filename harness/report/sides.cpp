#include "report/sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.h"
#include "spec/overrides.h"

namespace tailwave {
namespace {

struct RunOfSide {
  std::int64_t id;
  std::string system, experiment, device;
  DeviceKind kind = DeviceKind::cuda;
  std::string commit;
  std::int64_t search;  // whose leaders it measured, or which it is; else the run itself
};

// The latest first.
std::vector<RunOfSide> runs_with_trials(Database& database, const std::string& experiment,
                                        const std::string& system) {
  Statement statement = database.prepare(R"(
    SELECT run.id, system, experiment, device.name, device.kind, project_commit, coalesce((
      -- all rounds of its leaders lie between a search and the last of them
      SELECT max(search.run_id) FROM search JOIN run AS searching ON searching.id = search.run_id
      WHERE run.id BETWEEN search.run_id AND final_run_id AND searching.device_id = run.device_id
        AND searching.system = run.system AND searching.experiment = run.experiment), run.id)
    FROM run JOIN device ON device.id = run.device_id
    WHERE (:experiment = '' OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system = '' OR :system = system) AND EXISTS (
        SELECT 1 FROM trial WHERE trial.run_id = run.id AND trial.regime IS NULL)
    ORDER BY started_at DESC, run.identity DESC)");
  statement.bind(":experiment", experiment).bind(":system", system);
  std::vector<RunOfSide> runs;
  while (statement.step())
    runs.push_back({statement.integer(0), statement.text(1), statement.text(2), statement.text(3),
                    from_string<DeviceKind>(statement.text(4)), statement.text(5), statement.integer(6)});
  return runs;
}

auto series_of(const RunOfSide& run) {
  return std::tie(run.system, run.experiment, run.kind, run.device);
}

bool is_meant(const RunOfSide& run, const SideName& name) {
  return (name.device.empty() || name.device == run.device || name.device == to_string(run.kind)) &&
         run.commit.starts_with(name.commit) && (!name.run || *name.run == run.id);
}

// A name as a word of a side, in which ',' stands between words.
std::string as_word(const std::string& name) {
  std::string word;
  for (const char letter : name) word += letter == ',' ? ",," : std::string(1, letter);
  return word;
}

// "nbody/variants"; empty where there is no such run.
std::string experiment_of(Database& database, std::int64_t run) {
  Statement statement = database.prepare("SELECT system || '/' || experiment FROM run WHERE id = ?");
  return statement.bind_all(run).step() ? statement.text(0) : "";
}

[[noreturn]] void refuse_side(const Database& database, const SideName& name, const std::string& cause,
                              const std::string& hint) {
  throw Error(
      Diagnostic{database.file().string(), "", fmt::format("'{}' {}", name.text, cause), "", -1, hint});
}

std::string where_runs_are_listed(const Database& database) {
  return fmt::format("'tailwave query runs --db {}' lists them", database.file().string());
}

// "there is no run 99999: the last is 12".
std::string no_such_run(Database& database, std::int64_t run) {
  Statement statement = database.prepare("SELECT max(id) FROM run");
  const bool any = statement.step() && !statement.is_null(0);
  return fmt::format("there is no run {}: {}", run,
                     any ? fmt::format("the last is {}", statement.integer(0)) : "the database has none");
}

bool has_regimes(Database& database, std::int64_t run) {
  Statement statement = database.prepare("SELECT 1 FROM regime WHERE run_id = ?");
  return statement.bind_all(run).step();
}

[[noreturn]] void refuse_nothing(Database& database, const SideName& name, const std::string& experiment) {
  const std::string own = name.run ? experiment_of(database, *name.run) : "";
  if (name.run && own.empty())
    throw Error(Diagnostic{database.file().string(), "", no_such_run(database, *name.run), "", -1,
                           where_runs_are_listed(database)});
  if (name.run && has_regimes(database, *name.run))
    refuse_side(database, name, "measured in regimes, and no trial of it is compared",
                "'tailwave query regimes' has what it found");
  const bool of_another =
      !own.empty() && !experiment.empty() && own != experiment && own.substr(own.find('/') + 1) != experiment;
  refuse_side(database, name,
              of_another           ? fmt::format("is a run of {}, not of '{}'", own, experiment)
              : experiment.empty() ? "means no run with trials"
                                   : fmt::format("means no run of '{}' with trials", experiment),
              where_runs_are_listed(database) +
                  (!name.run && experiment.empty()
                       ? "; tries (--set, --samples) are meant by --experiment, or by a run's number"
                       : ""));
}

// Of the latest run's series the latest run or the one before it; a search and the runs of its leaders count as one.
std::vector<RunOfSide> of_age(const Database& database, const SideName& name, std::vector<RunOfSide> runs) {
  if (name.age == SideName::Age::any || runs.empty()) return runs;
  const RunOfSide latest = runs.front();
  std::erase_if(runs, [&](const RunOfSide& run) { return series_of(run) != series_of(latest); });
  std::int64_t wanted = latest.search;
  if (name.age == SideName::Age::previous) {
    const auto before = std::find_if(runs.begin(), runs.end(),
                                     [&](const RunOfSide& run) { return run.search != latest.search; });
    wanted = before == runs.end() ? 0 : before->search;
  }
  std::erase_if(runs, [&](const RunOfSide& run) { return run.search != wanted; });
  if (runs.empty())
    refuse_side(database, name,
                fmt::format("means the run before the latest, but {}/{} has only {} on {}", latest.system,
                            latest.experiment, run_words(latest.search, latest.id), latest.device),
                "'tailwave run --fresh' measures everything again");
  return runs;
}

}  // namespace

std::string run_words(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("run {}", first) : fmt::format("runs {} to {}", first, last);
}

std::vector<Side> find_sides(Database& database, const SideName& name, const std::string& experiment,
                             const std::string& system) {
  std::vector<RunOfSide> runs = runs_with_trials(database, experiment, system);
  std::erase_if(runs, [&](const RunOfSide& run) {
    const bool is_named = name.run || !experiment.empty();
    return !is_meant(run, name) || (!is_named && is_try(run.experiment));
  });
  std::map<std::string, Side> sides;
  for (const RunOfSide& run : of_age(database, name, std::move(runs))) {
    Side& side = sides
                     .try_emplace(run.system + "/" + run.experiment,
                                  Side{run.system, run.experiment, run.device, run.kind, {}})
                     .first->second;
    if (side.device != run.device || side.kind != run.kind)
      refuse_side(
          database, name,
          fmt::format("has runs of {} on several devices: {} and {}", side.name(), side.device, run.device),
          fmt::format("name one, as in '{},device:{}'", name.text, as_word(side.device)));
    side.runs.push_back(run.id);
    side.one_run = name.run || name.age != SideName::Age::any;
    side.current = name.commit.empty() && !name.run && name.age == SideName::Age::any;
  }
  if (sides.empty()) refuse_nothing(database, name, experiment);
  std::vector<Side> found;
  for (auto& [key, side] : sides) found.push_back(std::move(side));
  return found;
}

}  // namespace tailwave
