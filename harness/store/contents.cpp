#include "store/contents.h"

#include <algorithm>

namespace tailwave {
namespace {

bool is_true(Statement& statement) {
  return statement.step() && statement.integer(0) != 0;
}

std::vector<std::string> texts(Statement& statement) {
  std::vector<std::string> found;
  while (statement.step()) found.push_back(statement.text(0));
  return found;
}

}  // namespace

bool has_run(Database& database, std::int64_t run) {
  Statement statement = database.prepare("SELECT EXISTS (SELECT 1 FROM run WHERE id = ?)");
  return is_true(statement.bind_all(run));
}

bool has_commit(Database& database, const std::string& beginning) {
  Statement statement =
      database.prepare("SELECT EXISTS (SELECT 1 FROM run WHERE substr(project_commit, 1, ?) = ?)");
  return is_true(statement.bind_all(beginning.size(), beginning));
}

bool has_device(Database& database, const std::string& name) {
  Statement statement = database.prepare("SELECT EXISTS (SELECT 1 FROM device WHERE ? IN (name, kind))");
  return is_true(statement.bind_all(name));
}

bool has_results(Database& database, const std::string& system, const std::string& experiment) {
  Statement statement = database.prepare(R"(
    SELECT EXISTS (SELECT 1 FROM current_trial WHERE system = ?1 AND experiment = ?2)
      OR EXISTS (SELECT 1 FROM trace WHERE system = ?1 AND experiment = ?2)
      OR EXISTS (SELECT 1 FROM grid_curve WHERE system = ?1 AND experiment = ?2)
      OR EXISTS (SELECT 1 FROM counter_run WHERE system = ?1 AND experiment = ?2)
      OR EXISTS (SELECT 1 FROM timeline WHERE system = ?1 AND experiment = ?2)
      OR EXISTS (SELECT 1 FROM sm_curve WHERE system = ?1 AND experiment = ?2))");
  return is_true(statement.bind_all(system, experiment));
}

std::vector<std::string> devices_that_ran(Database& database) {
  Statement statement = database.prepare(R"(
    SELECT DISTINCT name FROM device
    WHERE id IN (SELECT device_id FROM run UNION SELECT device_id FROM selftest)
    ORDER BY name)");
  return texts(statement);
}

std::vector<std::string> devices_of(Database& database, const std::string& experiment,
                                    std::optional<DeviceKind> kind) {
  Statement statement = database.prepare(R"(
    SELECT DISTINCT name FROM device
    WHERE id IN (SELECT device_id FROM run WHERE experiment = ?1
      UNION SELECT device_id FROM trace WHERE experiment = ?1
      UNION SELECT device_id FROM grid_curve WHERE experiment = ?1
      UNION SELECT device_id FROM counter_run WHERE experiment = ?1
      UNION SELECT device_id FROM timeline WHERE experiment = ?1
      UNION SELECT device_id FROM sm_curve WHERE experiment = ?1)
      AND ?2 IN ('', kind)
    ORDER BY name)");
  return texts(statement.bind_all(experiment, kind ? std::string(to_string(*kind)) : ""));
}

std::vector<std::pair<std::string, std::string>> lacking_published_figures(Database& database) {
  Statement row = database.prepare(R"(
    SELECT DISTINCT experiment, system || '/' || experiment FROM run
    WHERE recorded_from IS NOT NULL AND json_valid(spec_text) AND json_extract(spec_text, '$.published') IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM published_value AS known
        WHERE known.experiment = run.experiment AND coalesce(known.system, run.system) = run.system)
    ORDER BY 2)");
  std::vector<std::pair<std::string, std::string>> all;
  while (row.step()) all.emplace_back(row.text(0), row.text(1));
  return all;
}

std::string latest_device(Database& database, const std::string& experiment,
                          const std::vector<std::string>& devices) {
  Statement statement = database.prepare(R"(
    SELECT device.name FROM run JOIN device ON device.id = device_id
    WHERE ? IN (experiment, system || '/' || experiment) ORDER BY started_at DESC, run.identity DESC)");
  statement.bind_all(experiment);
  while (statement.step())
    if (std::find(devices.begin(), devices.end(), statement.text(0)) != devices.end())
      return statement.text(0);
  return devices.front();
}

}  // namespace tailwave
