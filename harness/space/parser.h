#pragma once

#include <string_view>

#include "space/program.h"

namespace tailwave {

constexpr std::size_t kLongestExpression = 4096;  // characters; bounds the depth of the tree too

constexpr std::size_t kLongestList = 16384;

// Throws ExpressionError, see Expression::parse and parse_list.
ExpressionProgram parse_expression(std::string_view text, bool is_list = false);

}  // namespace tailwave
