#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "adopt/draft.h"

namespace tailwave {

struct TakenLaunch {
  const KernelText* kernel = nullptr;
  const HostLaunch* host = nullptr;
  std::map<std::size_t, SwitchedNumber> switched = {};
};

// Of launches of which only some are run (by if, switch, ?:, or behind a return) those that the values of the host's code
// lead to, else those of the first arm; says so. Launches of one kernel template that differ only in its numbers are one, with
// these to try.
std::vector<TakenLaunch> taken_launches(Draft& draft, std::vector<TakenLaunch> launches);

}  // namespace tailwave
