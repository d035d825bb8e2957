#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "report/neighbours.h"

namespace tailwave::samples {

// All points of a parameter for each count of values, but for those that are left out, with so fast a one.
inline MeasuredPoints points(const std::vector<std::uint32_t>& counts,
                             const std::function<double(const std::vector<std::uint32_t>&)>& log_speed,
                             const std::function<bool(const std::vector<std::uint32_t>&)>& left_out) {
  MeasuredPoints all{counts.size(), {}};
  std::vector<std::uint32_t> values(counts.size(), 0);
  for (std::int64_t id = 1;; ++id) {
    if (!left_out(values)) all.points.push_back({id, values, log_speed(values)});
    std::size_t i = 0;
    while (i < counts.size() && ++values[i] == counts[i]) values[i++] = 0;
    if (i == counts.size()) return all;
  }
}

inline std::size_t point_of(const MeasuredPoints& all, const std::vector<std::uint32_t>& values) {
  std::size_t i = 0;
  while (all.points.at(i).values != values) ++i;
  return i;
}

}  // namespace tailwave::samples
