#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/over_sizes.h"
#include "store/database.h"

namespace tailwave {

// What is exported: the current trials (view current_trial) of one experiment on one run device.
struct ExportScope {
  std::string experiment;
  std::string device;
  std::string system;  // may be empty where the experiment's name is unique
  // Wisdom alone: a few configurations for all problems instead of the best of each.
  std::optional<OverSizesOptions> over_sizes = std::nullopt;
};

// Throws Error (bad usage) when there are several of these systems, whose experiments have one name.
void require_one_system(const ExportScope& scope, const std::vector<std::string>& systems);

// Throws Error (kRunFailed) when the scope has no trial, naming the devices that have some.
void require_trials(Database& database, const ExportScope& scope);

// Recorded results: the current trials (view current_trial) of one experiment on one device with everything that
// belongs to them, as JSON text to commit. The text depends on the data alone: keys sorted, trials sorted by
// configuration, each list of samples on one line, so that a changed trial is a few changed lines. Of a run in which
// a search chose what was measured it says so, with the search's settings and steps. Block traces and profile metrics
// are not part of it.
//
// Throws Error (kRunFailed) when there is no such trial, naming the devices that have some. `system` may be empty
// where the experiment's name is unique.
std::string export_recorded(Database& database, const std::string& experiment, const std::string& device,
                            const std::string& system = "");

// A stored trial as a recording has it, without the places of its run and device.
nlohmann::json recorded_trial(Database& database, std::int64_t trial);

}  // namespace tailwave
