#pragma once

#include <string>

#include "space/parameter_space.h"
#include "spec/experiment.h"

namespace tailwave {

// Whether it has a configuration; true as well where that takes too long to tell.
bool may_have_any(const ParameterSpace& space);

// Which constraint of a space without a configuration is to blame, or that it takes several: "'A > B' is false for all of
// it".
std::string why_empty(const ParameterSpace& space);

// "no configuration satisfies all constraints on the CPU device".
std::string none_satisfies(bool for_cpu_device);

struct EmptyReason {
  std::string pointer;  // to what is to blame
  std::string text;
};
// The same for an experiment: where no constraint by itself rules everything out, how many configurations each leaves of
// those that the ones before it left.
EmptyReason why_empty(const Experiment& experiment, bool for_cpu_device);
// Throws Error (bad usage) that says it.
[[noreturn]] void refuse_empty(const Experiment& experiment, bool for_cpu_device);

}  // namespace tailwave
