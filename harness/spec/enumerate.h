#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "space/large_space.h"
#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// Values of parameters tried before it is doubted that there is a configuration at all.
inline constexpr std::size_t kMostTriedPoints = 3'000'000;

struct Enumeration {
  std::vector<Configuration>
      configurations;               // cases in spec order, problems slowest, each configuration once
  std::size_t left_out_on_cpu = 0;  // ruled out by cpu_constraints
};
inline constexpr std::size_t kMostEnumerated = 1'000'000;
// A constraint that names a parameter which a case's variant lacks does not apply to that case. Throws Error for
// a constraint that cannot be evaluated for some configuration, and for more configurations than kMostEnumerated.
Enumeration enumerate(const Experiment& experiment, bool for_cpu_device);

// Whether it has more configurations than kMostEnumerated, as far as they can be counted.
bool is_too_large(const Experiment& experiment, bool for_cpu_device);
[[noreturn]] void refuse_to_enumerate(const Experiment& experiment, const Count& count);

// Where the file has the case of this number, or what it has in place of cases.
std::string pointer_to_case(const Experiment& experiment, std::size_t number);

// Tries the constraints of an otherwise good experiment: reports one that cannot be evaluated, and constraints
// that leave no configuration. Looks at the first 10 000 configurations only; where they are hard to find, draws one.
// Adds warnings of cases of which they leave nothing.
void check_enumeration(Experiment& experiment, Reporter& reporter);

}  // namespace tailwave
