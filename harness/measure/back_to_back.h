#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/bench.h"

namespace tailwave {

// Whether executions do less on what the one before left than on inputs of their own. None where the cache holds one
// set of buffers but not two, so that executions of their own would be slower, or the device has no memory for two.
// Where there is one, what is left is what the last of several executions left, which began with the inputs of the
// draw. `samples` are those whose times are in question. Throws Failure.
std::optional<BackToBack> time_back_to_back(Bench& bench, std::uint64_t draw,
                                            const std::vector<Sample>& samples);

}  // namespace tailwave
