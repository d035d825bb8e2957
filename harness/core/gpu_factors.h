#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/statistics.h"

namespace tailwave {

// The median time, on one of the GPUs of a run, of what all of them measured in a block.
struct AnchorTime {
  std::size_t gpu = 0;
  int block = 0;
  double median_ns = 0;  // 0: it failed
};

// How many times as long as the first GPU another one takes: the median of the ratios of all blocks that both have, with
// the interval of 95 % (median_interval()).
struct GpuFactor {
  std::size_t gpu = 0;
  double factor = 1;
  // None with fewer than kFewestForInterval ratios; of the first GPU 1 to 1.
  std::optional<Interval> interval;
  std::size_t ratios = 0;
};

inline constexpr std::size_t kFewestForInterval = 6;  // with fewer, no order statistics cover 95 %

// Of each of `gpus`, beside the first of these, in their order. Those without a ratio are left out.
std::vector<GpuFactor> gpu_factors(const std::vector<AnchorTime>& times,
                                   const std::vector<std::size_t>& gpus);

}  // namespace tailwave
