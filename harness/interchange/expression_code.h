#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "space/expression.h"

namespace tailwave {

// Expressions as C++17, for a program that evaluates them with sizes of its own.

// What stands for a name: an expression of C++ that is a double, or a std::string_view.
struct NameCode {
  std::string code;
  bool is_text = false;
};
using NameCodes = std::map<std::string, NameCode, std::less<>>;

// A double, and a bool, with the value of the expression, where a variable `bool known` is in scope and true. Whole numbers
// are exact up to 2^53; a division by zero, and a remainder of what is larger, leaves `known` false. Empty for what such code
// cannot say: a name that has none, lists but for `in [...]`, `and` and `or` where no truth is asked for, and round, log2, gcd.
std::optional<std::string> number_code(const Expression& expression, const NameCodes& names);
std::optional<std::string> truth_code(const Expression& expression, const NameCodes& names);

// Functions that such code calls; needs <algorithm>, <cmath> and <string_view>.
extern const std::string_view kExpressionFunctions;

}  // namespace tailwave
