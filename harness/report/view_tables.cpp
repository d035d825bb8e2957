#include "report/view_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "store/rankings.h"

namespace tailwave {
namespace {

struct ViewTable {
  std::string_view view;
  std::string_view index;  // the columns by which it is asked
};
// Each may read those before it.
constexpr std::array<ViewTable, 19> kTables{{{"run_series", "system, experiment"},
                                             {"kept_trial", "system, experiment, run_device"},
                                             {"current_trial", "system, experiment, run_device"},
                                             {"trial_time", "trial_id"},
                                             {"trial_rate", "trial_id"},
                                             {"trial_waves", "trial_id"},
                                             {"unkept_trial", "system, experiment, run_device"},
                                             {"ranked_trial", "system, experiment, run_device"},
                                             {"trial_setting", "system, experiment, run_device"},
                                             {"trace_slots", "trace_id, position"},
                                             {"trace_idle", "trace_id, position"},
                                             {"shown_trace", "system, shown_in"},
                                             {"timeline_summary", "system"},
                                             {"trial_limit", "trial_id"},
                                             {"counter_launch", "counter_run_id, position"},
                                             {"counter_speed_of_light", "counter_run_id, position"},
                                             {"counter_stall", "counter_run_id, position"},
                                             {"counter_roofline", "counter_run_id, position"},
                                             {"grid_error", "curve_id"}}};

// What stands behind "CREATE VIEW name AS"; "" of other texts.
std::string definition_of(const std::string& name, const std::string& sql) {
  const std::string begins = "CREATE VIEW " + name + " AS";
  return sql.starts_with(begins) ? sql.substr(begins.size()) : "";
}

// Those that statements find: ones laid over the stored ones (overlay_views in store/migrations.h) before these.
std::vector<ViewTables::View> views_of(Database& database) {
  std::vector<ViewTables::View> views;
  Statement statement = database.prepare(R"(
    SELECT name, sql, 1 FROM temp.sqlite_master WHERE type = 'view'
    UNION ALL
    SELECT name, sql, 0 FROM main.sqlite_master
    WHERE type = 'view' AND name NOT IN (SELECT name FROM temp.sqlite_master WHERE type = 'view')
    ORDER BY 1)");
  while (statement.step())
    if (const std::string sql = definition_of(statement.text(0), statement.text(1)); !sql.empty())
      views.push_back({statement.text(0), sql, statement.integer(2) == 1});
  return views;
}

constexpr std::string_view kCurrent = "current_trial";

std::string columns_of_current(Database& database) {
  Statement columns = database.prepare("SELECT group_concat(name, ', ') FROM pragma_table_info(?)");
  columns.bind_all(kCurrent).step();
  return columns.text(0);
}

// What current_trial has but for the trials of rankings.
std::string without_ranked(const std::string& sql, const std::string& columns) {
  return fmt::format(R"(
    SELECT {} FROM ({}) AS own WHERE NOT EXISTS (
      SELECT 1 FROM ranking AS kept WHERE kept.system = own.system AND kept.experiment = own.experiment
        AND kept.run_device = own.run_device AND kept.run_kind = own.run_kind))",
                     columns, sql);
}

// What stands behind AS: of the trials of a ranking only those that were chosen.
std::string chosen_of(const ViewTables::View& view, const std::string& columns) {
  if (view.name == kCurrent)
    return fmt::format("{} UNION ALL SELECT {} FROM kept_trial", without_ranked(view.sql, columns), columns);
  if (view.name == "trial_time" || view.name == "trial_rate" || view.name == "trial_waves")
    return fmt::format("SELECT * FROM ({}) WHERE trial_id NOT IN left_out_trial", view.sql);
  return view.sql;
}

bool leaves_some_out(Database& database) {
  Statement row = database.prepare("SELECT EXISTS (SELECT 1 FROM left_out_trial)");
  return row.step() && row.integer(0) == 1;
}

}  // namespace

ViewTables::ViewTables(Database& database, const std::vector<std::string>& experiments)
    : database_(database), views_(views_of(database)) {
  choose_ranked_trials(database, kMostStudied, experiments);
  if (!experiments.empty() && !leaves_some_out(database)) {
    views_.clear();
    drop_ranked_trials(database);
    return;
  }
  const std::string columns = columns_of_current(database);
  for (const View& view : views_)
    if (view.temporary) database.execute(fmt::format("DROP VIEW temp.{}", view.name));
  if (experiments.empty()) fill_tables(columns);
  for (const View& view : views_)
    if (!tables_.contains(view.name))
      database.execute(fmt::format("CREATE TEMP VIEW {} AS {}", view.name,
                                   view.name == kCurrent ? chosen_of(view, columns) : view.sql));
}

void ViewTables::fill_tables(const std::string& columns) {
  for (const ViewTable& table : kTables) {
    const auto view = std::ranges::find(views_, table.view, &View::name);
    if (view == views_.end()) continue;
    tables_.insert(view->name);
    database_.execute(fmt::format("CREATE TEMP TABLE {} AS {}", table.view, chosen_of(*view, columns)));
    database_.execute(fmt::format("CREATE INDEX temp.{0}_by ON {0} ({1})", table.view, table.index));
  }
  database_.execute("CREATE INDEX temp.current_trial_by_trial ON current_trial (trial_id)");
  database_.execute("CREATE INDEX temp.counter_launch_by_configuration ON counter_launch (configuration_id)");
}

ViewTables::~ViewTables() {
  const auto try_to = [&](const std::string& sql) {
    try {
      database_.execute(sql);
    } catch (const Error&) {
      // The connection keeps what it has.
    }
  };
  for (const View& view : views_)
    try_to(fmt::format("DROP {} temp.{}", tables_.contains(view.name) ? "TABLE" : "VIEW", view.name));
  for (const char* table : {"left_out_trial", "ranking_trial", "ranking"})
    try_to(fmt::format("DROP TABLE IF EXISTS temp.{}", table));
  for (const View& view : views_)
    if (view.temporary) try_to(fmt::format("CREATE TEMP VIEW {} AS {}", view.name, view.sql));
}

}  // namespace tailwave
