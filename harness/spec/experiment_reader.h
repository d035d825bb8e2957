#pragma once

#include <filesystem>
#include <optional>

#include "core/error.h"
#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// Reads and validates a spec, its system's manifest and its published file; everything wrong is appended to
// `diagnostics` and the result is empty exactly when something was. Constraints are tried on the first 10 000
// configurations too: one that cannot be evaluated there, or no configuration at all, is an error. A file that has
// ConfigurationSpace and KernelSpecification is a T1 file (spec/t1/reader.h), spec and system in one.
std::optional<Experiment> load_experiment(const std::filesystem::path& file, Diagnostics& diagnostics);

// As above; throws Error with all diagnostics.
Experiment load_experiment(const std::filesystem::path& file);

// Reads metrics, measure and regimes of `root`, as far as they are there, into an experiment whose system and cases are.
void read_experiment_keys(const Json& root, Experiment& experiment, Reporter& reporter);

}  // namespace tailwave
