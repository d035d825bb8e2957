#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device.h"
#include "search/prior.h"
#include "spec/problem_space.h"
#include "store/database.h"

namespace tailwave {

// Where a search begins with what is known of the same configurations on another device or of another problem.
struct StartSource {
  enum class Kind { none, own, other } kind = Kind::own;
  Database* other = nullptr;  // of kind `other`, kept by reference: what a file or another database has
};

struct KnownElsewhere {
  PriorCosts costs;
  std::string said;  // "nbody/tuning on NVIDIA A100, N = 8192: 478 configurations, and 2 others"
};

// What the source has of the space's configurations, of one experiment on one device of this kind and one problem at
// least kFewestKnown that ran; of several such together. Of the own database that is the same experiment on other
// devices, and on this one of `earlier` problems only: those that this command has searched before, so that a search
// repeated knows the same. A configuration is the same where the variant, if there are several, and all parameters
// that both have are.
inline constexpr std::size_t kFewestKnown = 5;
std::optional<KnownElsewhere> known_elsewhere(const StartSource& source, Database& own,
                                              const std::string& experiment, const DeviceDescription& device,
                                              const ProblemSpace& space, const std::vector<Values>& earlier);

}  // namespace tailwave
