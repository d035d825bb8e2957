#pragma once

#include <set>
#include <string>
#include <vector>

#include "adopt/draft.h"

namespace tailwave {

inline constexpr const char* kOriginalVariant = "original";    // the code as it was
inline constexpr const char* kTunedVariant = "tuned";          // the copy to be changed
inline constexpr const char* kReferenceVariant = "reference";  // a function of the host, to be written

// A variant that is tuned.
struct DraftVariant {
  std::string name;
  std::vector<const DraftLaunch*> launches;
  std::vector<const DraftParameter*> parameters;
  std::vector<std::string>
      thread_limits;  // that values which are tried together could break: "X * Y <= 1024"
};
// One with all launches, or one of each kernel where these compute the same.
std::vector<DraftVariant> variants_of(const Draft& draft);

// Of the launches, each once.
std::vector<std::string> kernel_names(const Draft& draft);
// Parameters that say how many results there are: the reference has to follow them.
std::set<std::string> followed_parameters(const Draft& draft);
// Names that say how many elements there are, and those: parameters among them are those of every variant.
std::set<std::string> names_of_counts(const Draft& draft);

}  // namespace tailwave
