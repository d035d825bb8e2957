#pragma once

#include <string>

namespace tailwave {

// A source with the macros that take arguments and that it defines itself replaced by what they stand for, to be read rather
// than compiled: IDX(i, j) becomes ((i) + NX * (j)). Left as they are: macros that are defined more than once, that paste or
// quote, that take any number of arguments, and what would not end.
std::string with_expanded_macros(const std::string& source);

}  // namespace tailwave
