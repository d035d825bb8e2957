#pragma once

#include <string_view>

#include "space/program.h"

namespace tailwave {

constexpr std::size_t kLongestExpression = 4096;  // characters; bounds the depth of the tree too

// Throws ExpressionError, see Expression::parse.
ExpressionProgram parse_expression(std::string_view text);

}  // namespace tailwave
