#pragma once

#include <string_view>

namespace tailwave {

// Whether a metric is the time itself. All others are work by time: "<work quantity>_per_second".
constexpr bool is_time(std::string_view metric) {
  return metric == "time";
}

}  // namespace tailwave
