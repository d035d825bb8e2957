#include "space/operand.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "space/expression.h"

namespace tailwave {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

[[noreturn]] void fail_overflow(int column) {
  throw ExpressionError("integer overflow", column);
}

std::int64_t floor_quotient(std::int64_t left, std::int64_t right) {
  const std::int64_t quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Operand integer_power(std::int64_t base, std::int64_t exponent, int column) {
  if (exponent < 0) {
    if (base == 0) throw ExpressionError("0 to a negative power", column);
    return finite(std::pow(static_cast<double>(base), static_cast<double>(exponent)), column);
  }
  std::int64_t result = 1;
  // Squares of bases other than -1, 0 and 1 overflow soon, which bounds the loop.
  if (base == 0 || base == 1) return Operand::of(exponent == 0 ? std::int64_t{1} : base);
  if (base == -1) return Operand::of(std::int64_t{exponent % 2 == 0 ? 1 : -1});
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) fail_overflow(column);
  }
  return Operand::of(result);
}

Operand integer_arithmetic(Op op, std::int64_t left, std::int64_t right, int column) {
  std::int64_t result = 0;
  switch (op) {
    case Op::add:
      if (__builtin_add_overflow(left, right, &result)) fail_overflow(column);
      return Operand::of(result);
    case Op::subtract:
      if (__builtin_sub_overflow(left, right, &result)) fail_overflow(column);
      return Operand::of(result);
    case Op::multiply:
      if (__builtin_mul_overflow(left, right, &result)) fail_overflow(column);
      return Operand::of(result);
    case Op::power:
      return integer_power(left, right, column);
    default:
      break;
  }
  if (right == 0) throw ExpressionError("'" + std::string(symbol_of(op)) + "' by zero", column);
  if (op == Op::divide) return Operand::of(static_cast<double>(left) / static_cast<double>(right));
  if (right == -1) {
    return op == Op::modulo ? Operand::of(std::int64_t{0}) : negated(Operand::of(left), column);
  }
  const std::int64_t quotient = floor_quotient(left, right);
  return Operand::of(op == Op::modulo ? left - quotient * right : quotient);
}

// CPython's float_divmod: the remainder has the divisor's sign and the quotient is rounded to a whole number.
Operand real_floor(Op op, double left, double right, int column) {
  double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder != 0 && (right < 0) != (remainder < 0)) {
    remainder += right;
    quotient -= 1;
  }
  return finite(op == Op::modulo ? remainder : std::round(quotient), column);
}

Operand real_arithmetic(Op op, double left, double right, int column) {
  switch (op) {
    case Op::add:
      return finite(left + right, column);
    case Op::subtract:
      return finite(left - right, column);
    case Op::multiply:
      return finite(left * right, column);
    case Op::power:
      if (left == 0 && right < 0) throw ExpressionError("0 to a negative power", column);
      if (left < 0 && right != std::floor(right)) {
        throw ExpressionError("a negative number to a fractional power", column);
      }
      return finite(std::pow(left, right), column);
    default:
      break;
  }
  if (right == 0) throw ExpressionError("'" + std::string(symbol_of(op)) + "' by zero", column);
  return op == Op::divide ? finite(left / right, column) : real_floor(op, left, right, column);
}

// -1, 0 or 1 as left is less than, equal to or greater than right; 2 when right is not a number.
int compare(std::int64_t left, double right) {
  if (std::isnan(right)) return 2;
  if (right >= kTwoTo63) return -1;
  if (right < -kTwoTo63) return 1;
  const double whole = std::floor(right);
  const auto bound = static_cast<std::int64_t>(whole);
  if (left != bound) return left < bound ? -1 : 1;
  return whole < right ? -1 : 0;
}

template <class Number>
int compare(const Number& left, const Number& right) {
  if (left < right) return -1;
  if (right < left) return 1;
  return left == right ? 0 : 2;
}

int compare(const Operand& left, const Operand& right) {
  if (!left.is_number()) return compare(*left.text, *right.text);
  if (left.is_whole() && right.is_whole()) return compare(left.integer, right.integer);
  if (left.is_whole()) return compare(left.integer, right.real);
  if (!right.is_whole()) return compare(left.real, right.real);
  const int mirrored = compare(right.integer, left.real);
  return mirrored == 2 ? 2 : -mirrored;
}

// Recursive: once.
bool contains(const Operand& item, const Operand& list, Op op, int column) {
  if (!list.is_list())
    throw ExpressionError("'" + std::string(symbol_of(op)) + "' needs a list, found " + list.shown(), column);
  return std::any_of(list.list->begin(), list.list->end(), [&](const Operand& candidate) {
    return apply_comparison(Op::equal, candidate, item, column);
  });
}

}  // namespace

std::string_view symbol_of(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::floor_divide:
      return "//";
    case Op::modulo:
      return "%";
    case Op::power:
      return "**";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::not_equal:
      return "!=";
    case Op::contained:
      return "in";
    case Op::lacking:
      return "not in";
    default:
      return "==";
  }
}

Operand Operand::of(const Value& value) {
  switch (value.index()) {
    case 0:
      return of(*std::get_if<bool>(&value));
    case 1:
      return of(*std::get_if<std::int64_t>(&value));
    case 2:
      return of(*std::get_if<double>(&value));
    default:
      break;
  }
  Operand operand;
  operand.kind = Kind::text;
  operand.text = std::get_if<std::string>(&value);
  return operand;
}

bool Operand::truth() const {
  if (is_whole()) return integer != 0;
  if (kind == Kind::real) return real != 0;
  return is_list() ? !list->empty() : !text->empty();
}

Value Operand::value() const {
  switch (kind) {
    case Kind::boolean:
      return integer != 0;
    case Kind::integer:
      return integer;
    case Kind::real:
      return real;
    case Kind::list:
      throw ExpressionError("expected a single value, found a list", 0);
    default:
      return *text;
  }
}

// Recursive: as deep as the lists.
std::string Operand::shown() const {
  if (is_list()) {
    constexpr std::size_t kMost = 4;
    std::string items;
    for (std::size_t i = 0; i < std::min(list->size(), kMost); ++i)
      items += (i == 0 ? "" : ", ") + (*list)[i].shown();
    return "[" + items + (list->size() > kMost ? ", ...]" : "]");
  }
  return kind == Kind::text ? "'" + *text + "'" : to_string(value());
}

Operand finite(double number, int column) {
  if (!std::isfinite(number)) throw ExpressionError("the result is not a finite number", column);
  return Operand::of(number);
}

Operand apply_arithmetic(Op op, const Operand& left, const Operand& right, int column) {
  for (const Operand* operand : {&left, &right}) {
    if (!operand->is_number()) {
      throw ExpressionError("'" + std::string(symbol_of(op)) + "' needs numbers, found " + operand->shown(),
                            column);
    }
  }
  if (left.is_whole() && right.is_whole()) {
    return integer_arithmetic(op, left.integer, right.integer, column);
  }
  return real_arithmetic(op, left.as_double(), right.as_double(), column);
}

bool apply_comparison(Op op, const Operand& left, const Operand& right, int column) {
  if (op == Op::contained || op == Op::lacking)
    return contains(left, right, op, column) == (op == Op::contained);
  if (left.is_list() || right.is_list())
    throw ExpressionError("'" + std::string(symbol_of(op)) + "' cannot compare lists", column);
  if (left.is_number() != right.is_number()) {
    if (op == Op::equal || op == Op::not_equal) return op == Op::not_equal;
    throw ExpressionError(
        "'" + std::string(symbol_of(op)) + "' cannot compare " + left.shown() + " with " + right.shown(),
        column);
  }
  const int order = compare(left, right);
  switch (op) {
    case Op::less:
      return order == -1;
    case Op::less_equal:
      return order == -1 || order == 0;
    case Op::greater:
      return order == 1;
    case Op::greater_equal:
      return order == 1 || order == 0;
    case Op::equal:
      return order == 0;
    default:
      return order != 0;
  }
}

Operand negated(const Operand& operand, int column) {
  if (!operand.is_number()) throw ExpressionError("'-' needs a number, found " + operand.shown(), column);
  if (!operand.is_whole()) return Operand::of(-operand.real);
  std::int64_t result = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, operand.integer, &result)) fail_overflow(column);
  return Operand::of(result);
}

std::int64_t to_integer(const Operand& operand, int column, const std::string& complaint) {
  if (operand.is_whole()) return operand.integer;
  if (operand.is_number() && operand.real == std::floor(operand.real) && operand.real >= -kTwoTo63 &&
      operand.real < kTwoTo63) {
    return static_cast<std::int64_t>(operand.real);
  }
  throw ExpressionError(complaint + ", found " + operand.shown(), column);
}

}  // namespace tailwave
