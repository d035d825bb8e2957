#include "interchange/expression_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>

#include "core/value.h"
#include "interchange/header_fields.h"
#include "space/functions.h"
#include "space/operand.h"
#include "space/program.h"

namespace tailwave {
namespace {

struct NotExpressible : std::runtime_error {
  NotExpressible() : std::runtime_error("no code for this") {}
};

// Functions of numbers that have the same name here and in what is written.
constexpr std::array<std::string_view, 7> kSameName{"abs",  "ceil_div", "pow2", "is_pow2",
                                                    "sqrt", "floor",    "ceil"};

// Which look as in C++; "in" has no such thing.
std::string_view comparison_of(Op op) {
  if (op < Op::less || op > Op::not_equal) throw NotExpressible();
  return symbol_of(op);
}

// Writes the code of one expression, node by node.
class Writer {
 public:
  Writer(const ExpressionProgram& program, const NameCodes& names) : program_(program), names_(names) {}

  [[nodiscard]] std::string number(std::uint32_t index) const {
    const Node& node = program_.nodes[index];
    if (is_text(index)) throw NotExpressible();
    if (node.op == Op::constant) return number_of(program_.constants[node.a]);
    if (node.op == Op::name) return name(node).code;
    if (node.op == Op::negate) return "(-" + number(node.a) + ")";
    if (node.op == Op::plus) return number(node.a);
    if (node.op == Op::conditional)
      return fmt::format("({} ? {} : {})", truth(node.b), number(node.a), number(node.c));
    if (node.op == Op::call) return call(node);
    if (node.op >= Op::add && node.op <= Op::power) return arithmetic(node);
    if (node.op == Op::logical_not || node.op >= Op::less) return "(" + truth(index) + " ? 1.0 : 0.0)";
    throw NotExpressible();
  }

  [[nodiscard]] std::string truth(std::uint32_t index) const {
    const Node& node = program_.nodes[index];
    if (node.op == Op::logical_not) return "!" + truth(node.a);
    if (node.op == Op::logical_and) return fmt::format("({} && {})", truth(node.a), truth(node.b));
    if (node.op == Op::logical_or) return fmt::format("({} || {})", truth(node.a), truth(node.b));
    if (node.op == Op::conditional)
      return fmt::format("({} ? {} : {})", truth(node.b), truth(node.a), truth(node.c));
    if (node.op == Op::contained || node.op == Op::lacking) return membership(node);
    if (node.op >= Op::less && node.op <= Op::not_equal) return comparison(node, node.a);
    if (is_text(index)) return "!" + text(index) + ".empty()";
    return "(" + number(index) + " != 0)";
  }

 private:
  static std::string number_of(const Value& value) {
    if (std::holds_alternative<std::string>(value)) throw NotExpressible();
    return to_define(Value(to_double(value)));
  }

  [[nodiscard]] const NameCode& name(const Node& node) const {
    const auto found = names_.find(program_.names[node.a]);
    if (found == names_.end()) throw NotExpressible();
    return found->second;
  }

  [[nodiscard]] bool is_text(std::uint32_t index) const {
    const Node& node = program_.nodes[index];
    if (node.op == Op::constant) return std::holds_alternative<std::string>(program_.constants[node.a]);
    return node.op == Op::name && name(node).is_text;
  }

  [[nodiscard]] std::string text(std::uint32_t index) const {
    const Node& node = program_.nodes[index];
    if (node.op == Op::name) return name(node).code;
    return fmt::format("std::string_view({})",
                       literal_of_text(std::get<std::string>(program_.constants[node.a])));
  }

  [[nodiscard]] std::string compared(std::string_view operation, std::uint32_t left,
                                     std::uint32_t right) const {
    if (is_text(left) != is_text(right)) throw NotExpressible();
    if (is_text(left)) return fmt::format("({} {} {})", text(left), operation, text(right));
    return fmt::format("({} {} {})", number(left), operation, number(right));
  }

  // With the rest of its chain: a < b <= c.
  [[nodiscard]] std::string comparison(const Node& node, std::uint32_t left) const {
    std::string first = compared(comparison_of(node.op), left, node.b);
    if (node.c == kNoNode) return first;
    return fmt::format("({} && {})", first, comparison(program_.nodes[node.c], node.b));
  }

  [[nodiscard]] std::string membership(const Node& node) const {
    const Node& list = program_.nodes[node.b];
    if (list.op != Op::list || list.b == 0 || node.c != kNoNode) throw NotExpressible();
    std::string any;
    for (std::uint32_t i = 0; i < list.b; ++i)
      any += (i == 0 ? "" : " || ") + compared("==", node.a, program_.arguments[list.a + i]);
    return fmt::format("{}({})", node.op == Op::lacking ? "!" : "", any);
  }

  [[nodiscard]] std::string arithmetic(const Node& node) const {
    const std::string left = number(node.a), right = number(node.b);
    switch (node.op) {
      case Op::add:
        return fmt::format("({} + {})", left, right);
      case Op::subtract:
        return fmt::format("({} - {})", left, right);
      case Op::multiply:
        return fmt::format("({} * {})", left, right);
      case Op::divide:
        return fmt::format("divide(known, {}, {})", left, right);
      case Op::floor_divide:
        return fmt::format("floor_divide(known, {}, {})", left, right);
      case Op::modulo:
        return fmt::format("modulo(known, {}, {})", left, right);
      default:
        return fmt::format("std::pow({}, {})", left, right);
    }
  }

  [[nodiscard]] std::string call(const Node& node) const {
    const std::string_view function = functions()[node.c].name;
    std::vector<std::string> arguments;
    for (std::uint32_t i = 0; i < node.b; ++i) arguments.push_back(number(program_.arguments[node.a + i]));
    if (function == "min" || function == "max") return extreme(function, arguments);
    if (function == "int") return fmt::format("std::trunc({})", arguments[0]);
    if (function == "float") return arguments[0];
    if (std::ranges::find(kSameName, function) == kSameName.end()) throw NotExpressible();
    if (function == "ceil_div" || function == "pow2") arguments.insert(arguments.begin(), "known");
    return fmt::format("{}{}({})", is_of_library(function) ? "std::" : "", function,
                       fmt::join(arguments, ", "));
  }

  static bool is_of_library(std::string_view function) {
    return function == "abs" || function == "sqrt" || function == "floor" || function == "ceil";
  }

  static std::string extreme(std::string_view function, const std::vector<std::string>& arguments) {
    if (arguments.size() < 2) throw NotExpressible();  // of a list
    std::string code = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i)
      code = fmt::format("std::{}({}, {})", function, code, arguments[i]);
    return code;
  }

  const ExpressionProgram& program_;
  const NameCodes& names_;
};

template <class Write>
std::optional<std::string> written(Write write) {
  try {
    return write();
  } catch (const NotExpressible&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> number_code(const Expression& expression, const NameCodes& names) {
  return written([&] { return Writer(expression.program(), names).number(expression.program().root); });
}

std::optional<std::string> truth_code(const Expression& expression, const NameCodes& names) {
  return written([&] { return Writer(expression.program(), names).truth(expression.program().root); });
}

const std::string_view kExpressionFunctions = R"(
constexpr double kLargestExact = 9007199254740992;  // 2^53

// What has no value leaves `known` false: a division by zero, or a remainder of a number that is not exact.
inline double nothing(bool& known) {
  known = false;
  return 0;
}
inline double divide(bool& known, double one, double other) { return other == 0 ? nothing(known) : one / other; }
// Rounds down, as Python does.
inline double floor_divide(bool& known, double one, double other) {
  if (other == 0 || std::fabs(one) > kLargestExact) return nothing(known);
  double quotient = std::floor(one / other);
  const double rest = one - quotient * other;
  if (other > 0 ? rest < 0 : rest > 0) quotient -= 1;
  if (other > 0 ? rest >= other : rest <= other) quotient += 1;
  return quotient;
}
inline double modulo(bool& known, double one, double other) { return one - floor_divide(known, one, other) * other; }
inline double ceil_div(bool& known, double one, double other) { return 0 - floor_divide(known, -one, other); }
inline double pow2(bool& known, double exponent) {
  return exponent < 0 || exponent > 62 ? nothing(known) : std::ldexp(1.0, static_cast<int>(exponent));
}
inline double is_pow2(double value) {
  int exponent = 0;
  return value >= 1 && std::frexp(value, &exponent) == 0.5 ? 1.0 : 0.0;
}
)";

}  // namespace tailwave
