#pragma once

#include <optional>

#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// Reads the published file that `place` of the experiment's spec names. Problems of the path are the spec's,
// the others are reported as of the published file.
std::optional<Published> read_published(const Json& place, const Experiment& experiment,
                                        Reporter& spec_reporter);

}  // namespace tailwave
