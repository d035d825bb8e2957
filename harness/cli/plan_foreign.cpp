#include "cli/plan_foreign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/result_database.h"
#include "cli/result_json.h"
#include "cli/stored_device.h"
#include "core/device_kind.h"
#include "core/error.h"
#include "core/parallel.h"
#include "store/device_times.h"

namespace tailwave {
namespace {

std::vector<std::string> named_devices(Database& database, const std::string& from) {
  std::vector<std::string> devices;
  for (std::size_t begin = 0; begin <= from.size();) {
    const std::size_t end = std::min(from.find(',', begin), from.size());
    const std::string wanted = from.substr(begin, end - begin);
    if (find_enum<DeviceKind>(wanted))
      throw Error(Diagnostic{.cause = fmt::format("--from {}: a kind of device", wanted),
                             .hint = "name a GPU that the database has times of, for example h200"});
    std::string device = stored_device(database, wanted);
    if (std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(std::move(device));
    begin = end + 1;
  }
  return devices;
}

// What the target has run of the experiment, under the name that its driver has for it.
std::optional<ForeignSource> measured_on(Database& database, const Experiment& experiment,
                                         const DeviceSpec& target) {
  const std::string& system = experiment.system.name;
  if (!run_device(database, system, experiment.name, target.title)) return std::nullopt;
  return load_foreign_source(database, system, experiment.name, target.title);
}

nlohmann::ordered_json record_json(const ForeignPlan& plan) {
  const ForeignRecord record = judge_foreign(plan.compared);
  nlohmann::ordered_json json{{"predicted", plan.predicted},
                              {"by_counters", plan.by_counters},
                              {"known", plan.known},
                              {"measured", record.compared}};
  if (record.compared == 0) return json;
  json["in_80"] = record.likely;
  json["in_95"] = record.nearly_sure;
  json["median_percent"] = record.median_percent;
  json["percent_95"] = record.percent_95;
  if (std::isfinite(record.rank_correlation)) json["correlation"] = record.rank_correlation;
  json["regret"] = record.regret;
  return json;
}

}  // namespace

ForeignPlanner::ForeignPlanner(const std::filesystem::path& database, const std::string& from,
                               PlannedDevice target, std::size_t known, bool alone)
    : database_(open_to_read(database)),
      devices_(named_devices(database_, from)),
      target_(std::move(target)),
      known_(known),
      alone_(alone) {
  for (const std::string& device : devices_)
    if (device == target_.spec.title)
      throw Error(Diagnostic{.cause = fmt::format("{} is the target and what to predict it from", device),
                             .hint = "'tailwave query best' has what was measured there"});
}

bool ForeignPlanner::knows(const Experiment& experiment, const Console& console) {
  sources_.clear();
  std::string why;
  for (const std::string& device : devices_) {
    try {
      sources_.push_back(load_foreign_source(database_, experiment.system.name, experiment.name, device));
    } catch (const Error& error) {
      if (alone_ && devices_.size() == 1) throw;
      why = error.what();
    }
  }
  if (sources_.empty() && alone_) throw Error(why, Error::kBadUsage);
  if (sources_.empty()) console.note(fmt::format("{}\n", why.substr(0, why.find('\n'))));
  return !sources_.empty();
}

nlohmann::ordered_json ForeignPlanner::print(const Experiment& experiment,
                                             const std::vector<Configuration>& configurations,
                                             TableFormat format, const Console& console) {
  const std::optional<ForeignSource> measured = measured_on(database_, experiment, target_.spec);
  const ForeignPlan plan = plan_foreign(experiment, configurations, sources_, measured ? &*measured : nullptr,
                                        target_, known_, hardware_threads());
  ++experiments_;
  all_.predicted += plan.predicted;
  all_.by_counters += plan.by_counters;
  all_.known += plan.known;
  all_.compared.insert(all_.compared.end(), plan.compared.begin(), plan.compared.end());
  const Table table = foreign_table(plan);
  std::vector<std::string> names;
  for (const ForeignSource& source : sources_) names.push_back(source.spec.title);
  if (console.json())
    return {{"system", experiment.system.name},
            {"experiment", experiment.name},
            {"from", names},
            {"target", target_.spec.title},
            {"record", record_json(plan)},
            {"configurations", to_json(table)}};
  const bool for_people = format == TableFormat::table || format == TableFormat::markdown;
  if (format == TableFormat::table) console.say(fmt::format("predicted from {}\n", fmt::join(names, ", ")));
  console.result(for_people ? without_empty_columns(table) : table, format);
  if (format == TableFormat::table) console.say(foreign_words(plan, target_.spec.title));
  if (plan.known < known_)
    console.note(fmt::format("{}: {} has run {} of the {} that --known asks for\n", experiment.name,
                             target_.spec.title, plan.known, known_));
  return {};
}

void ForeignPlanner::print_summary(const Console& console) const {
  if (experiments_ == 0)
    throw Error(
        Diagnostic{.file = database_.file().string(),
                   .cause = fmt::format("no times of these experiments on {}", fmt::join(devices_, ", ")),
                   .hint = "run them there, or import what was recorded there"});
  if (experiments_ < 2) return;
  console.say(
      fmt::format("\nall {} experiments:\n{}", experiments_, foreign_words(all_, target_.spec.title)));
}

}  // namespace tailwave
