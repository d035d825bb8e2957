#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/console.h"
#include "core/device.h"
#include "spec/experiment.h"
#include "store/database.h"

namespace tailwave {

// What a run or a search ends with where its experiment has objectives: of each problem the configurations that no
// other one beats in all of them, of all that counts. For people, and for --json (the rows of the query "front").
void say_fronts(Database& database, const Experiment& experiment, const DeviceDescription& device,
                const Console& console);
nlohmann::ordered_json fronts_json(Database& database, const Experiment& experiment,
                                   const DeviceDescription& device);

}  // namespace tailwave
