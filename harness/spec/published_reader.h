#pragma once

#include <optional>

#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// Reads the published file that `place` of the experiment's spec names. Problems of the path are the spec's,
// the others are reported as of the published file.
std::optional<Published> read_published(const Json& place, const Experiment& experiment,
                                        Reporter& spec_reporter);

// Reports a `name` that is no metric of the system ("time" or "<work>_per_second").
void check_metric(const std::string& name, const System& system, const std::string& pointer,
                  Reporter& reporter);

}  // namespace tailwave
