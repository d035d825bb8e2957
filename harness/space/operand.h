#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"
#include "space/program.h"

namespace tailwave {

// A value while an expression is evaluated: trivially copyable, text and lists by reference.
struct Operand {
  enum class Kind : std::uint8_t { boolean, integer, real, text, list } kind;
  union {
    std::int64_t integer;  // boolean and integer
    double real;
    const std::string* text;
    const std::vector<Operand>* list;
  };

  static Operand of(bool value) { return whole(Kind::boolean, value ? 1 : 0); }
  static Operand of(std::int64_t value) { return whole(Kind::integer, value); }
  static Operand of(double value) {
    Operand operand;
    operand.kind = Kind::real;
    operand.real = value;
    return operand;
  }
  // Refers to the value's text, if it is one.
  static Operand of(const Value& value);

  static Operand of(const std::vector<Operand>& items) {
    Operand operand;
    operand.kind = Kind::list;
    operand.list = &items;
    return operand;
  }

  [[nodiscard]] bool is_whole() const { return kind == Kind::boolean || kind == Kind::integer; }
  [[nodiscard]] bool is_number() const { return kind < Kind::text; }
  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] double as_double() const { return is_whole() ? static_cast<double>(integer) : real; }
  [[nodiscard]] bool truth() const;
  [[nodiscard]] Value value() const;  // throws ExpressionError (column 0) for a list
  // As messages show it: 8, 0.5, true, 'text', [1, 2].
  [[nodiscard]] std::string shown() const;

 private:
  static Operand whole(Kind kind, std::int64_t value) {
    Operand operand;
    operand.kind = kind;
    operand.integer = value;
    return operand;
  }
};

// As expressions write the operators add .. lacking: "+", "//", "<=", "not in".
std::string_view symbol_of(Op op);

// Everything below throws ExpressionError with the given column.

// The operators add .. power.
Operand apply_arithmetic(Op op, const Operand& left, const Operand& right, int column);
// The operators less .. lacking. A whole and a real number are compared exactly; lists are not compared.
bool apply_comparison(Op op, const Operand& left, const Operand& right, int column);
Operand negated(const Operand& operand, int column);

// `number`, unless it is infinite or not a number.
Operand finite(double number, int column);
// The operand as an integer; a real number with a fraction, and text, are errors: "<complaint>, found 2.5".
std::int64_t to_integer(const Operand& operand, int column, const std::string& complaint);

}  // namespace tailwave
