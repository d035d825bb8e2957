#include "interchange/recorded_regimes.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "interchange/recorded_format.h"
#include "interchange/recorded_run.h"
#include "json/members_json.h"
#include "store/record_row.h"
#include "store/regime_store.h"

namespace tailwave {
namespace {

nlohmann::json rows_of_run(Database& database, const std::string& sql, std::int64_t run,
                           const std::vector<std::string>& nested) {
  Statement statement = database.prepare(sql);
  statement.bind_all(run);
  nlohmann::json rows = nlohmann::json::array();
  while (statement.step()) rows.push_back(row_object(statement, nested));
  return rows;
}

std::set<std::string> names_of_run(Database& database, const std::string& sql, std::int64_t run) {
  Statement statement = database.prepare(sql);
  statement.bind_all(run);
  std::set<std::string> names;
  while (statement.step()) names.insert(statement.text(0));
  return names;
}

void import_list(Database& database, const Json& run, std::int64_t id) {
  std::set<std::string> known = names_of_run(database, "SELECT name FROM regime WHERE run_id = ?", id);
  const Json regimes = run.at("regimes");
  for (std::size_t i = 0; i < regimes.size(); ++i) {
    const auto record = read_record<RegimeRecord>(regimes.at(i));
    if (known.insert(record.name).second) regimes.at(i).guarded([&] { insert_regime(database, id, record); });
  }
}

void import_finalists(Database& database, const Json& run, const std::string& system, std::int64_t id) {
  std::set<std::string> known = names_of_run(
      database,
      "SELECT name FROM regime_finalist JOIN configuration ON configuration.id = configuration_id WHERE run_id = ?",
      id);
  const Json finalists = run.at("finalists");
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const Json place = finalists.at(i);
    const Finalist finalist{recorded_configuration(place, system), read_record<FinalistRecord>(place)};
    if (known.insert(finalist.configuration.name()).second)
      place.guarded([&] { insert_finalist(database, id, finalist); });
  }
}

}  // namespace

void add_regimes_of_run(Database& database, std::int64_t run, nlohmann::json& object) {
  nlohmann::json regimes = rows_of_run(database,
                                       fmt::format("SELECT {} FROM regime WHERE run_id = ? ORDER BY position",
                                                   columns_of<RegimeRecord>("regime")),
                                       run, nested_columns<RegimeRecord>());
  if (regimes.empty()) return;
  object["regimes"] = std::move(regimes);
  object["finalists"] = rows_of_run(database,
                                    fmt::format(R"(
    SELECT variant, parameters, problem, {}
    FROM regime_finalist JOIN configuration ON configuration.id = configuration_id WHERE run_id = ? ORDER BY name)",
                                                columns_of<FinalistRecord>("regime_finalist")),
                                    run, nested_columns<Configuration>());
}

void import_regimes(Database& database, const Json& document, const std::vector<std::int64_t>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Json run = document.at("runs").at(i);
    if (!run.has("regimes")) continue;
    import_list(database, run, runs[i]);
    import_finalists(database, run, document.at("system").text(), runs[i]);
  }
}

}  // namespace tailwave
