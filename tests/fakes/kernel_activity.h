#pragma once

#include <cstdint>
#include <string>

#include "device/counters.h"

namespace tailwave::fakes {

// A kernel of 2 blocks of 32 threads.
inline Activity kernel_activity(const std::string& name, std::uint64_t order, std::int64_t begin_ns,
                                std::int64_t end_ns, std::uint64_t stream = 70) {
  return {.kind = ActivityKind::kernel,
          .name = name,
          .stream = stream,
          .order = order,
          .grid = {2, 1, 1},
          .block = {32, 1, 1},
          .begin_ns = begin_ns,
          .end_ns = end_ns};
}

}  // namespace tailwave::fakes
