#include "space/functions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "space/expression.h"
#include "space/list_operations.h"

namespace tailwave {
namespace {

using Arguments = std::span<const Operand>;

double number(const Operand& operand, const std::string& function, int column) {
  if (!operand.is_number()) {
    throw ExpressionError("'" + function + "' needs a number, found " + operand.shown(), column);
  }
  return operand.as_double();
}

std::int64_t integer(const Operand& operand, const std::string& function, int column) {
  return to_integer(operand, column, "'" + function + "' needs a whole number");
}

// A whole-valued double as an integer.
Operand whole(double value, int column) {
  if (!(std::fabs(value) < 9223372036854775808.0)) throw ExpressionError("integer overflow", column);
  return Operand::of(static_cast<std::int64_t>(value));
}

Operand extreme(Arguments arguments, Op better, int column) {
  const std::string name = better == Op::less ? "'min'" : "'max'";
  if (arguments.size() == 1) arguments = items_of(arguments[0], name + " of one value", column);
  if (arguments.empty()) throw ExpressionError(name + " of an empty list", column);
  Operand best = arguments[0];
  for (const Operand& argument : arguments.subspan(1)) {
    if (apply_comparison(better, argument, best, column)) best = argument;
  }
  return best;
}

Operand minimum(Arguments arguments, int column) {
  return extreme(arguments, Op::less, column);
}
Operand maximum(Arguments arguments, int column) {
  return extreme(arguments, Op::greater, column);
}

Operand sum(Arguments arguments, int column) {
  Operand total = Operand::of(std::int64_t{0});
  for (const Operand& item : items_of(arguments[0], "'sum'", column))
    total = apply_arithmetic(Op::add, total, item, column);
  return total;
}

Operand length(Arguments arguments, int column) {
  return Operand::of(static_cast<std::int64_t>(items_of(arguments[0], "'len'", column).size()));
}

bool is_true(const Operand& operand) {
  return operand.truth();
}
Operand any(Arguments arguments, int column) {
  const Arguments items = items_of(arguments[0], "'any'", column);
  return Operand::of(std::any_of(items.begin(), items.end(), is_true));
}
Operand all(Arguments arguments, int column) {
  const Arguments items = items_of(arguments[0], "'all'", column);
  return Operand::of(std::all_of(items.begin(), items.end(), is_true));
}

std::vector<Operand> copied(Arguments arguments, int column) {
  const Arguments items = items_of(arguments[0], "'list'", column);
  return {items.begin(), items.end()};
}
std::vector<Operand> sorted(Arguments arguments, int column) {
  std::vector<Operand> items = copied(arguments, column);
  std::stable_sort(items.begin(), items.end(), [&](const Operand& one, const Operand& other) {
    return apply_comparison(Op::less, one, other, column);
  });
  return items;
}

Operand absolute(Arguments arguments, int column) {
  const double value = number(arguments[0], "abs", column);
  if (value < 0) return negated(arguments[0], column);
  return arguments[0].is_whole() ? Operand::of(arguments[0].integer) : Operand::of(std::fabs(value));
}

Operand ceil_div(Arguments arguments, int column) {
  const std::int64_t dividend = integer(arguments[0], "ceil_div", column);
  const std::int64_t divisor = integer(arguments[1], "ceil_div", column);
  if (divisor == 0) throw ExpressionError("'ceil_div' by zero", column);
  if (divisor == -1) return negated(Operand::of(dividend), column);
  const std::int64_t quotient = dividend / divisor;
  const bool round_up = dividend % divisor != 0 && (dividend < 0) == (divisor < 0);
  return Operand::of(round_up ? quotient + 1 : quotient);
}

Operand pow2(Arguments arguments, int column) {
  const std::int64_t exponent = integer(arguments[0], "pow2", column);
  if (exponent < 0 || exponent > 62) {
    throw ExpressionError("'pow2' needs 0 to 62, found " + std::to_string(exponent), column);
  }
  return Operand::of(std::int64_t{1} << exponent);
}

Operand is_pow2(Arguments arguments, int column) {
  const std::int64_t value = integer(arguments[0], "is_pow2", column);
  return Operand::of(value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)));
}

Operand log2(Arguments arguments, int column) {
  const double value = number(arguments[0], "log2", column);
  if (!(value > 0)) {
    throw ExpressionError("'log2' needs a number above 0, found " + arguments[0].shown(), column);
  }
  return Operand::of(std::log2(value));
}

Operand gcd(Arguments arguments, int column) {
  const std::int64_t first = integer(arguments[0], "gcd", column);
  const std::int64_t second = integer(arguments[1], "gcd", column);
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  if (first == kLowest || second == kLowest) throw ExpressionError("integer overflow", column);
  return Operand::of(std::gcd(first, second));
}

Operand sqrt(Arguments arguments, int column) {
  const double value = number(arguments[0], "sqrt", column);
  if (value < 0) {
    throw ExpressionError("'sqrt' needs a number not below 0, found " + arguments[0].shown(), column);
  }
  return Operand::of(std::sqrt(value));
}

template <double (*round_to_whole)(double)>
Operand rounded(Arguments arguments, int column, const char* name) {
  const double value = number(arguments[0], name, column);
  if (arguments[0].is_whole()) return Operand::of(arguments[0].integer);
  return whole(round_to_whole(value), column);
}

double down(double value) {
  return std::floor(value);
}
double up(double value) {
  return std::ceil(value);
}
double to_zero(double value) {
  return std::trunc(value);
}
double half_to_even(double value) {
  return value - std::remainder(value, 1.0);
}

Operand floor(Arguments arguments, int column) {
  return rounded<down>(arguments, column, "floor");
}
Operand ceil(Arguments arguments, int column) {
  return rounded<up>(arguments, column, "ceil");
}
Operand round(Arguments arguments, int column) {
  return rounded<half_to_even>(arguments, column, "round");
}
Operand to_int(Arguments arguments, int column) {
  return rounded<to_zero>(arguments, column, "int");
}
Operand to_float(Arguments arguments, int column) {
  return Operand::of(number(arguments[0], "float", column));
}

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
constexpr std::array<Function, 22> kFunctions{{{"min", 1, kAnyNumber, minimum},
                                               {"max", 1, kAnyNumber, maximum},
                                               {"abs", 1, 1, absolute},
                                               {"ceil_div", 2, 2, ceil_div},
                                               {"pow2", 1, 1, pow2},
                                               {"is_pow2", 1, 1, is_pow2},
                                               {"log2", 1, 1, log2},
                                               {"gcd", 2, 2, gcd},
                                               {"sqrt", 1, 1, sqrt},
                                               {"floor", 1, 1, floor},
                                               {"ceil", 1, 1, ceil},
                                               {"round", 1, 1, round},
                                               {"int", 1, 1, to_int},
                                               {"float", 1, 1, to_float},
                                               {"sum", 1, 1, sum},
                                               {"len", 1, 1, length},
                                               {"any", 1, 1, any},
                                               {"all", 1, 1, all},
                                               {"range", 1, 3, nullptr, range_items},
                                               {"list", 1, 1, nullptr, copied},
                                               {"tuple", 1, 1, nullptr, copied},
                                               {"sorted", 1, 1, nullptr, sorted}}};

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

std::optional<std::uint32_t> find_function(std::string_view name) {
  for (std::uint32_t i = 0; i < kFunctions.size(); ++i) {
    if (kFunctions.at(i).name == name) return i;
  }
  return std::nullopt;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  return names;
}

}  // namespace tailwave
