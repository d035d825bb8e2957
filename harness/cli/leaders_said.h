#pragma once

#include "cli/console.h"
#include "report/units.h"
#include "spec/experiment.h"
#include "store/database.h"
#include "tune/tuner.h"

namespace tailwave {

ShownMetric shown_metric(const Metric& metric);

// For people: the best of a search of one problem, which it has, as they were measured again, with the experiment's other
// metrics and which are tied; where they were not measured again the best alone.
void say_leaders(Database& database, const Experiment& experiment, const SearchSummary& summary,
                 const Console& console);

}  // namespace tailwave
