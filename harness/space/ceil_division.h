#pragma once

#include <string_view>

#include "space/expression.h"

namespace tailwave {

// The expression with ((a) / (b)) or ((a) // (b)), by `operation`, for each ceil_div(a, b), but for those in a divisor, which
// rounded down may be 0, and in other functions than min() and max(), which may need whole numbers. Never longer than before.
Expression with_ceil_div_as(std::string_view operation, const Expression& expression);

}  // namespace tailwave
