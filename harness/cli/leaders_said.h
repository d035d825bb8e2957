#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/console.h"
#include "report/units.h"
#include "spec/experiment.h"
#include "store/database.h"
#include "tune/tuner.h"

namespace tailwave {

ShownMetric shown_metric(const Metric& metric);

// For people: the winner of a search of one problem, which has one, among those that were measured again, and these in a
// table with the experiment's other metrics.
void say_leaders(Database& database, const Experiment& experiment, const DeviceDescription& device,
                 const SearchSummary& summary, const Console& console);

// The same for --json, as winner_json() has it; null where there is none, or its time is that of another configuration.
nlohmann::ordered_json search_winner_json(Database& database, const Experiment& experiment,
                                          const DeviceDescription& device, const SearchSummary& summary);

}  // namespace tailwave
