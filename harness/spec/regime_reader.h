#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// The regimes of a spec whose system, problem and settings are read. Files of fills lie beside the spec, in `folder`.
// What is wrong is reported, and left out.
std::vector<Regime> read_regimes(const Json& list, const Experiment& experiment,
                                 const std::filesystem::path& folder, Reporter& reporter);

// Those that a person names, in that order: of the experiment's own or of named_regimes(). Throws Error (bad usage) for
// a name that is none of these, or given twice.
std::vector<Regime> regimes_named(const std::vector<std::string>& names, const Experiment& experiment);

}  // namespace tailwave
