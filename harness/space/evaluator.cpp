#include "space/evaluator.h"

#include <array>
#include <vector>

#include "space/expression.h"
#include "space/functions.h"

namespace tailwave {
namespace {

class Evaluator {
 public:
  Evaluator(const ExpressionProgram& program, std::span<const Operand> name_values)
      : program_(program), name_values_(name_values) {}

  // NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth
  [[nodiscard]] Operand value(std::uint32_t index) const {
    const Node& node = program_.nodes[index];
    switch (node.op) {
      case Op::constant:
        return Operand::of(program_.constants[node.a]);
      case Op::name:
        return name_values_[node.a];
      case Op::negate:
        return negated(value(node.a), node.column);
      case Op::plus:
        return unchanged(value(node.a), node.column);
      case Op::logical_not:
        return Operand::of(!value(node.a).truth());
      case Op::logical_and: {
        const Operand left = value(node.a);
        return left.truth() ? value(node.b) : left;
      }
      case Op::logical_or: {
        const Operand left = value(node.a);
        return left.truth() ? left : value(node.b);
      }
      case Op::conditional:
        return value(value(node.b).truth() ? node.a : node.c);
      case Op::call:
        return call(node);
      default:
        break;
    }
    if (node.op >= Op::less) return comparison(node);
    const Operand left = value(node.a);
    return apply_arithmetic(node.op, left, value(node.b), node.column);
  }

 private:
  static Operand unchanged(const Operand& operand, int column) {
    if (!operand.is_number()) throw ExpressionError("'+' needs a number, found " + operand.shown(), column);
    return operand.is_whole() ? Operand::of(operand.integer) : operand;
  }

  [[nodiscard]] Operand comparison(const Node& first) const {
    Operand left = value(first.a);
    const Node* node = &first;
    while (true) {
      const Operand right = value(node->b);
      if (!apply_comparison(node->op, left, right, node->column)) return Operand::of(false);
      if (node->c == kNoNode) return Operand::of(true);
      left = right;
      node = &program_.nodes[node->c];
    }
  }

  [[nodiscard]] Operand call(const Node& node) const {
    const auto apply = [&](std::span<Operand> arguments) {
      for (std::uint32_t i = 0; i < node.b; ++i) arguments[i] = value(program_.arguments[node.a + i]);
      return functions()[node.c].apply(arguments, node.column);
    };
    std::array<Operand, 4> few;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
    if (node.b <= few.size()) return apply(std::span(few).first(node.b));
    std::vector<Operand> many(node.b);
    return apply(many);
  }

  const ExpressionProgram& program_;
  std::span<const Operand> name_values_;
};

}  // namespace

Operand run_program(const ExpressionProgram& program, std::span<const Operand> name_values) {
  return Evaluator(program, name_values).value(program.root);
}

}  // namespace tailwave
