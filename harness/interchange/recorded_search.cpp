#include "interchange/recorded_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "interchange/recorded_format.h"
#include "interchange/recorded_run.h"
#include "json/members_json.h"
#include "store/rows.h"
#include "store/search_store.h"

namespace tailwave {
namespace {

bool is_search(const Json& run) {
  return run.has("search") && !run.at("search").has("leaders_of");
}

// What a recording has more of them than the database, which measured none itself; an older one has none.
void import_steps(Database& database, const Json& search, const std::string& system, std::int64_t run) {
  std::set<std::int64_t> known;
  Statement stored = database.prepare("SELECT step FROM search_step WHERE run_id = ?");
  stored.bind_all(run);
  while (stored.step()) known.insert(stored.integer(0));
  for (std::size_t i = 0; search.has("steps") && i < search.at("steps").size(); ++i) {
    const Json place = search.at("steps").at(i);
    const Configuration configuration = recorded_configuration(place, system);
    const auto step = read_record<SearchStep>(place);
    if (!known.insert(step.step).second) continue;
    place.guarded([&] {
      insert_search_step(database, run, find_or_insert_configuration(database, configuration), step);
    });
  }
}

// A search that the database measured itself is known to it as well as can be.
void import_search(Database& database, const Json& search, const std::string& system, std::int64_t run) {
  Statement known = database.prepare(
      "SELECT recorded_from IS NOT NULL AND run_id = :run FROM search JOIN run ON run.id = run_id "
      "WHERE :run IN (run_id, final_run_id) ORDER BY run_id = :run DESC");
  const bool is_known = known.bind(":run", run).step();
  if (is_known && known.integer(0) == 0) return;
  const auto record = read_record<SearchRecord>(search);
  if (!is_known) search.guarded([&] { begin_search(database, run, record); });
  import_steps(database, search, system, run);
  if (!search.text_or_empty("stopped_by").empty())
    finish_search(database, run, search.at("stopped_by").enumerator<SearchEnd>());
}

// A search has one run of its leaders.
void set_final_runs(Database& database, const Json& document, const std::vector<std::int64_t>& runs) {
  std::map<std::size_t, std::size_t> measured_by;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Json run = document.at("runs").at(i);
    if (!run.has("search") || is_search(run)) continue;
    const Json place = run.at("search").at("leaders_of");
    const std::size_t search = place.index(runs.size());
    if (!is_search(document.at("runs").at(search)))
      place.refuse(fmt::format("run {} of the file is no search", search));
    if (const auto [other, first] = measured_by.emplace(search, i); !first)
      place.refuse(fmt::format("run {} of the file has its leaders in run {}", search, other->second));
    set_final_run(database, runs[search], runs[i]);
  }
}

nlohmann::json steps_of(Database& database, std::int64_t search) {
  Statement statement = database.prepare(R"(
    SELECT step, variant, parameters, problem, cost, seconds
    FROM search_step JOIN configuration ON configuration.id = configuration_id WHERE run_id = ? ORDER BY step)");
  statement.bind_all(search);
  nlohmann::json steps = nlohmann::json::array();
  while (statement.step()) steps.push_back(row_object(statement, nested_columns<Configuration>()));
  return steps;
}

}  // namespace

nlohmann::json search_of_run(Database& database, const std::vector<std::int64_t>& runs, std::size_t place) {
  Statement statement = database.prepare(R"(
    SELECT * FROM search WHERE :run IN (run_id, final_run_id) ORDER BY run_id = :run DESC LIMIT 1)");
  if (!statement.bind(":run", runs[place]).step()) return {};
  nlohmann::json search = row_object(statement, nested_columns<SearchRecord>());
  const auto searching = search.at("run_id").get<std::int64_t>();
  for (const char* key : {"run_id", "final_run_id"}) search.erase(key);
  const auto found = std::find(runs.begin(), runs.end(), searching);
  if (searching == runs[place] || found == runs.end()) {
    search["steps"] = steps_of(database, searching);
    return search;
  }
  return {{"leaders_of", found - runs.begin()}};
}

std::string import_searches(Database& database, const Json& document, const std::vector<std::int64_t>& runs) {
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Json place = document.at("runs").at(i);
    if (!is_search(place)) continue;
    const auto record = read_record<SearchRecord>(place.at("search"));
    const std::string remark =
        fmt::format("chosen by a search ({}) from {} configurations", record.strategy, record.configurations);
    if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(remark);
    import_search(database, place.at("search"), document.at("system").text(), runs[i]);
  }
  set_final_runs(database, document, runs);
  return fmt::format("{}", fmt::join(remarks, "; "));
}

}  // namespace tailwave
