#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/command_line.h"
#include "core/device.h"
#include "spec/experiment.h"
#include "store/database.h"

namespace tailwave {

// Figures of merit as lines that a regular expression reads, for JUBE, ReFrame and Ramble: docs/interoperate.md has their
// grammar and names. They are taken from JSON as --json says it, to the last digit.

// `--fom`, which --json of the command excludes.
void add_figures_option(Command& command, bool& figures);

// What the database has of an experiment on a device: `system`, `experiment`, `device`, `metric` (its name and unit),
// `results` (how many configurations, and of these correct, unverified, failed and wrong_result), `winners`, one a
// problem, and the problems `without_winner`.
nlohmann::ordered_json answers_json(Database& database, const Experiment& experiment,
                                    const DeviceDescription& device);

// The same by their names, "nbody/variants". Throws Error (bad usage) where it has nothing of them.
nlohmann::ordered_json answers_json(Database& database, const std::string& experiment,
                                    const std::string& device);

// The same with the winners and seconds of searches, an array of search_json().
nlohmann::ordered_json answers_of_searches(Database& database, const Experiment& experiment,
                                           const DeviceDescription& device,
                                           const nlohmann::ordered_json& searches);

// Winners become problems without one.
void take_winners(nlohmann::ordered_json& answers);

// A line for each figure of such a document, which may have `seconds`, too: those of the run. "" without a winner.
std::string figure_lines(const nlohmann::ordered_json& answers);

// Those of an array of documents, to standard output, whatever the terminal's width.
void print_figures(const nlohmann::ordered_json& all);

// Throws Error for the first document of an array with a problem that has no winner, and so no figures: another one's
// would be taken for them.
void require_figures(const nlohmann::ordered_json& all);

}  // namespace tailwave
