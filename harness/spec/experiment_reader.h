#pragma once

#include <filesystem>
#include <optional>

#include "core/error.h"
#include "spec/experiment.h"

namespace tailwave {

// Reads and validates a spec, its system's manifest and its published file; everything wrong is appended to
// `diagnostics` and the result is empty exactly when something was. Constraints are tried on the first 10 000
// configurations too: one that cannot be evaluated there, or no configuration at all, is an error. A file that has
// ConfigurationSpace and KernelSpecification is a T1 file (spec/t1/reader.h), spec and system in one.
std::optional<Experiment> load_experiment(const std::filesystem::path& file, Diagnostics& diagnostics);

// As above; throws Error with all diagnostics.
Experiment load_experiment(const std::filesystem::path& file);

}  // namespace tailwave
