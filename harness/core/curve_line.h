#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tailwave {

// A curve in one line of block characters, on a logarithmic scale: the least of the values has the lowest block, the
// largest the highest. At most `columns` of them (at least 1), each the last value of its equal part of all. Values are
// positive; what is not finite is a blank. "" for none.
std::string curve_line(const std::vector<double>& values, std::size_t columns);

}  // namespace tailwave
