#pragma once

#include <algorithm>

namespace tailwave::fakes {

// How often a simulation of statistics repeats: in full without sanitizers, a tenth with them. They see the same code
// in every round, and how often it errs does not depend on them.
constexpr int rounds(int in_full) {
#ifdef TAILWAVE_SANITIZE
  return std::max(1, in_full / 10);
#else
  return in_full;
#endif
}

}  // namespace tailwave::fakes
