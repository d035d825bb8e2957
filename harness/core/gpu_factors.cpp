#include "core/gpu_factors.h"

#include <map>

namespace tailwave {

std::vector<GpuFactor> gpu_factors(const std::vector<AnchorTime>& times,
                                   const std::vector<std::size_t>& gpus) {
  if (gpus.empty()) return {};
  std::map<int, double> first_ns;  // by block
  for (const AnchorTime& one : times)
    if (one.gpu == gpus.front() && one.median_ns > 0) first_ns[one.block] = one.median_ns;
  std::vector<GpuFactor> factors;
  for (const std::size_t gpu : gpus) {
    std::vector<double> ratios;
    for (const AnchorTime& one : times) {
      const auto beside = first_ns.find(one.block);
      if (one.gpu == gpu && one.median_ns > 0 && beside != first_ns.end())
        ratios.push_back(one.median_ns / beside->second);
    }
    if (ratios.empty()) continue;
    GpuFactor& found = factors.emplace_back(GpuFactor{gpu, median(ratios), std::nullopt, ratios.size()});
    if (ratios.size() >= kFewestForInterval || gpu == gpus.front()) found.interval = median_interval(ratios);
  }
  return factors;
}

}  // namespace tailwave
