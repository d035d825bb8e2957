#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/comparison.h"
#include "store/database.h"
#include "tune/tuner.h"

namespace tailwave {

// What --json says of a run: its numbers, and every trial that counts of the experiment on the run's device, raw
// units in the names (median_ns); `value` is the metric in SI units. docs/terminal.md describes it.
nlohmann::ordered_json run_json(Database& database, const Experiment& experiment, const std::string& device,
                                const RunSummary& summary);

// The same for a search of one problem, with its best, the winner as winner_json() has it and, as measured again, the
// leaders.
nlohmann::ordered_json search_json(Database& database, const Experiment& experiment,
                                   const DeviceDescription& device, const SearchSummary& summary);

// What a number of configurations in JSON is: "all", or "at least" for a lower bound.
std::string counted_as(const Count& count);

// The sides, counts by verdict, differences of the environment, and at most so many rows, as in comparison_table().
nlohmann::ordered_json comparison_json(const SideComparison& comparison, std::size_t most);

// Names and values as an object.
nlohmann::ordered_json values_json(const Values& values);

nlohmann::ordered_json diagnostic_json(const Diagnostic& diagnostic);

}  // namespace tailwave
