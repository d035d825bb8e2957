#include "core/curve_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace tailwave {

std::string curve_line(const std::vector<double>& values, std::size_t columns) {
  constexpr std::array<std::string_view, 8> kBlocks{"\u2581", "\u2582", "\u2583", "\u2584",
                                                    "\u2585", "\u2586", "\u2587", "\u2588"};
  const std::size_t count = std::min(columns, values.size());
  std::vector<double> shown;
  for (std::size_t i = 1; i <= count; ++i) shown.push_back(std::log(values[i * values.size() / count - 1]));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : shown) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::string line;
  for (const double value : shown) {
    const double share = high > low ? (value - low) / (high - low) : 0;
    const double level = std::round(share * static_cast<double>(kBlocks.size() - 1));
    line += std::isfinite(value) ? kBlocks.at(static_cast<std::size_t>(level)) : " ";
  }
  return line;
}

}  // namespace tailwave
