#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace tailwave {

// A text that is no expression, or a value that an operator cannot take. `column` is the 0-based offset into
// the expression's text where it was noticed.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& cause, int column, std::string hint = "")
      : std::runtime_error(cause), column(column), hint(std::move(hint)) {}
  int column;
  std::string hint;
};

struct ExpressionProgram;  // parsed form, private to expression.cpp

// An arithmetic or logical expression over named values, with Python's meaning where Python has one:
//   or, and, not, comparisons (chained: 1 < X <= 8), + - * / // % **, parentheses, 'text', true/false,
//   calls: min max abs ceil_div(a, b) pow2(n) is_pow2(n) log2(n) gcd sqrt floor ceil round int float
//   and the conditional `A if CONDITION else B`.
// Integers are exact 64-bit (overflow is an error); `/` is true division and yields a double; `//` and `%`
// floor as in Python, on doubles too; and/or short-circuit and yield an operand. A bool counts as 0 or 1.
// Immutable and cheap to copy.
class Expression {
 public:
  // Throws ExpressionError for bad syntax or an unknown function (with a suggestion as hint).
  static Expression parse(std::string_view text);
  // An expression that is just this value.
  static Expression constant(Value value);

  [[nodiscard]] const std::string& text() const;
  // Names used, in order of first appearance, each once.
  [[nodiscard]] const std::vector<std::string>& names() const;
  // Offset of the first use of a name from names().
  [[nodiscard]] int column_of(std::string_view name) const;

  // Throws ExpressionError for a name that is not in scope or a value of the wrong kind.
  [[nodiscard]] Value evaluate(const Values& scope) const;
  // The same with names()[i] having values[i]: no look-ups, for enumeration.
  [[nodiscard]] Value evaluate(std::span<const Value> values) const;
  [[nodiscard]] std::int64_t evaluate_int(const Values& scope) const;  // also takes integral doubles and bools
  [[nodiscard]] double evaluate_double(const Values& scope) const;
  [[nodiscard]] bool evaluate_bool(const Values& scope) const;

 private:
  std::shared_ptr<const ExpressionProgram> program_;
};

// Python's truth: false, 0, 0.0 and "" are false.
bool truthy(const Value& value);

}  // namespace tailwave
