#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"

namespace tailwave {

// A text that is no expression, or a value that an operator cannot take. `column` is the 0-based offset into
// the expression's text where it was noticed; `text` is that text.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& cause, int error_column, std::string error_hint = "",
                  std::string error_text = "")
      : std::runtime_error(cause),
        column(error_column),
        hint(std::move(error_hint)),
        text(std::move(error_text)) {}
  int column;
  std::string hint;
  std::string text;
};

// Names to lists of values.
using Lists = std::map<std::string, std::vector<Value>, std::less<>>;

struct ExpressionProgram;  // parsed form, see space/program.h

// An arithmetic or logical expression over named values, with Python's meaning where Python has one:
//   or, and, not, comparisons (chained: 1 < X <= 8), + - * / // % **, parentheses, 'text' or "text",
//   true/false (True/False too), the conditional `A if CONDITION else B`, and the calls
//   min max (two or more arguments, or a list), abs, ceil_div(a, b), pow2(n), is_pow2(n), log2, gcd(a, b), sqrt,
//   floor, ceil, round, int, float.
// Lists are for what is made of them: [1, 2], the tuple (1, 2), comprehensions [x * 2 for x in range(8) if x > 2],
// list + list, list * 2, list[0], `in` and `not in`, sum len any all range list tuple sorted. An expression's own
// value is a list only for evaluate_list().
// Integers are exact 64-bit and overflow is an error; `/` is true division and yields a real number; `//` and
// `%` round down as in Python, on real numbers too; `round` rounds halves to even; and/or short-circuit and
// yield an operand. A bool counts as 0 or 1. Text can only be compared with text and tested for truth. Unlike
// Python, a result that is infinite or not a number is an error. A text may have up to 4096 characters.
// Immutable and cheap to copy.
class Expression {
 public:
  // The constant 0.
  Expression();
  // Throws ExpressionError for bad syntax or an unknown function (with a suggestion as hint).
  static Expression parse(std::string_view text);
  // A list as Python writes it; "1, 2" is one, too. May have up to 16384 characters.
  static Expression parse_list(std::string_view text);
  // An expression that is just this value.
  static Expression constant(Value value);

  [[nodiscard]] const std::string& text() const;
  // Names used, in order of first appearance, each once.
  [[nodiscard]] const std::vector<std::string>& names() const;
  // Offset of the first use of a name from names(); -1 for another name.
  [[nodiscard]] int column_of(std::string_view name) const;

  // The expression with each name that has a replacement replaced by it, in parentheses. Throws
  // ExpressionError when the result is too long.
  [[nodiscard]] Expression substitute(const std::map<std::string, Expression>& replacements) const;

  // Throws ExpressionError for a name that is not in scope, a value of the wrong kind, a division by zero,
  // an overflow and the like.
  [[nodiscard]] Value evaluate(const Values& scope) const;
  // The same with names()[i] having values[i]: no look-ups and, for numbers, no allocation.
  [[nodiscard]] Value evaluate(std::span<const Value> values) const;
  [[nodiscard]] std::int64_t evaluate_int(
      const Values& scope) const;  // also takes integral doubles and bools
  [[nodiscard]] double evaluate_double(const Values& scope) const;
  [[nodiscard]] bool evaluate_bool(const Values& scope) const;
  // With names that mean lists.
  [[nodiscard]] Value evaluate(const Lists& scope) const;
  // Of an expression whose value is a list of single values.
  [[nodiscard]] std::vector<Value> evaluate_list(const Lists& scope = {}) const;
  [[nodiscard]] const ExpressionProgram& program() const { return *program_; }  // for enumeration

 private:
  explicit Expression(std::shared_ptr<const ExpressionProgram> program) : program_(std::move(program)) {}

  std::shared_ptr<const ExpressionProgram> program_;
};

// " (N = 4096, X = 0)": the values that the expression's names have, for messages; empty without names.
std::string values_of_names(const Expression& expression, const Values& scope);

// Python's truth: false, 0, 0.0 and "" are false.
bool truthy(const Value& value);

// A word that the language keeps for itself (and, if, true, ...) or the name of a function.
bool is_expression_word(std::string_view word);

}  // namespace tailwave
