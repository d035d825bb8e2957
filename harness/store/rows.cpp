#include "store/rows.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/error.h"
#include "json/values.h"
#include "store/record_row.h"
#include "store/statement.h"

namespace tailwave {
namespace {

std::int64_t find_or_insert_build(Database& database, const BuildRecord& build) {
  Statement known = database.prepare("SELECT id FROM build WHERE key = ?");
  if (known.bind_all(build.key).step()) return known.integer(0);
  return RowInsert<BuildRecord>(database, "build").add(build);
}

template <Record R>
void insert_all(Database& database, std::string_view table, std::int64_t trial, const std::vector<R>& all) {
  if (all.empty()) return;
  RowInsert<R> rows(database, table, {"trial_id"});
  for (const R& one : all) rows.add(one, trial);
}

void insert_verifications(Database& database, std::int64_t trial, const std::vector<Verification>& all) {
  if (all.empty()) return;
  RowInsert<Verification> rows(database, "verification", {"trial_id", "position"});
  int position = 0;
  for (const Verification& one : all) rows.add(one, trial, position++);
}

}  // namespace

std::int64_t find_or_insert_configuration(Database& database, const Configuration& configuration) {
  const std::string name = configuration.name();
  Statement known = database.prepare("SELECT id FROM configuration WHERE name = ?");
  if (known.bind_all(name).step()) return known.integer(0);
  return RowInsert<Configuration>(database, "configuration", {"name"}).add(configuration, name);
}

std::int64_t find_or_insert_device(Database& database, const DeviceDescription& device) {
  const std::optional<std::int64_t> known = find_row(database, "device", device);
  return known ? *known : RowInsert<DeviceDescription>(database, "device").add(device);
}

bool names_a_file(const std::string& name) {
  const auto is_control = [](unsigned char letter) { return std::iscntrl(letter) != 0; };
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != ".." &&
         std::none_of(name.begin(), name.end(), is_control);
}

void require_file_names(const std::string& system, const std::string& experiment) {
  for (const std::string& name : {system, experiment})
    if (!names_a_file(name))
      throw Error(Diagnostic{.cause = "'" + name + "' is a path and no name of a system or experiment"});
}

std::int64_t insert_run(Database& database, std::int64_t device, const RunRecord& run) {
  require_file_names(run.system, run.experiment);
  return RowInsert<RunRecord>(database, "run", {"device_id"}).add(run, device);
}

std::int64_t insert_trial(Database& database, std::int64_t run, std::int64_t device, const Trial& trial) {
  const bool correct = trial.outcome == Outcome::correct;
  Trial row;
  for_each_member<Trial, kNotRow>([&](const auto& one) { row.*one.place = trial.*one.place; });
  if (!correct) {
    row.timer.clear();
    row.stopped_by.clear();
  }
  std::optional<std::int64_t> build;
  std::optional<double> build_seconds;
  std::optional<bool> from_cache;
  if (trial.build) {
    build = find_or_insert_build(database, *trial.build);
    build_seconds = trial.build->seconds;
    from_cache = trial.build->from_cache;
  }
  const std::int64_t configuration = find_or_insert_configuration(database, trial.configuration);
  const std::int64_t id = RowInsert<Trial>(database, "trial",
                                           {"run_id", "device_id", "configuration_id", "build_id",
                                            "build_seconds", "build_from_cache"})
                              .add(row, run, device, configuration, build, build_seconds, from_cache);
  insert_all(database, "launch", id, trial.launches);
  if (correct) insert_all(database, "sample", id, trial.samples);
  insert_verifications(database, id, trial.verifications);
  insert_all(database, "time_limit", id, trial.limits);
  return id;
}

}  // namespace tailwave
