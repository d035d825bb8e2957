#pragma once

#include <array>
#include <string_view>

#include "core/enum_names.h"

namespace tailwave {

// What lies between two time stamps. isolated: one execution; batched: as many back to back as fill batch_ms; graph:
// the same in one CUDA graph.
enum class TimingMode { isolated, batched, graph };

template <>
struct EnumNames<TimingMode> {
  static constexpr std::string_view noun = "mode";
  static constexpr std::array<std::string_view, 3> names{"isolated", "batched", "graph"};
};

// What an execution finds in the caches. hot: what the one before left there; cold: nothing, L2 is overwritten before
// each sample, isolated only; rotate: executions take turns on several sets of buffers that L2 cannot hold together.
enum class CacheState { hot, cold, rotate };

template <>
struct EnumNames<CacheState> {
  static constexpr std::string_view noun = "cache state";
  static constexpr std::array<std::string_view, 3> names{"hot", "cold", "rotate"};
};

}  // namespace tailwave
