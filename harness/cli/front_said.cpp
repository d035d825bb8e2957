#include "cli/front_said.h"

#include <nlohmann/json.hpp>

#include "report/front.h"

namespace tailwave {
namespace {

Values front_scope(const Experiment& experiment, const DeviceDescription& device) {
  return {{"experiment", experiment.system.name + "/" + experiment.name}, {"device", device.name}};
}

}  // namespace

void say_fronts(Database& database, const Experiment& experiment, const DeviceDescription& device,
                const Console& console) {
  if (experiment.objectives.empty()) return;
  for (const Front& front : fronts(database, front_scope(experiment, device))) {
    console.say("\n" + front.text() + "\n");
    console.show(front_shown(front));
  }
}

nlohmann::ordered_json fronts_json(Database& database, const Experiment& experiment,
                                   const DeviceDescription& device) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (experiment.objectives.empty()) return rows;
  rows = to_json(fronts_table(database, front_scope(experiment, device)));
  for (auto& row : rows) row["problem"] = nlohmann::ordered_json::parse(row["problem"].get<std::string>());
  return rows;
}

}  // namespace tailwave
