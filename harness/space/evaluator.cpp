#include "space/evaluator.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "space/expression.h"
#include "space/functions.h"
#include "space/list_operations.h"

namespace tailwave {
namespace {

class Evaluator {
 public:
  Evaluator(const ExpressionProgram& program, std::span<const Operand> name_values)
      : program_(program), name_values_(name_values) {}

  // Recursive: the parser bounds the depth.
  [[nodiscard]] Operand value(std::uint32_t index) {
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
      case Op::local:
        return locals_[node.a];
      case Op::list:
        return kept(values(node.a, node.b));
      case Op::comprehension:
        return comprehension(node);
      case Op::subscript: {
        const Operand list = value(node.a);
        return item_at(list, value(node.b), node.column);
      }
      default:
        break;
    }
    if (node.op >= Op::less) return comparison(node);
    const Operand left = value(node.a);
    const Operand right = value(node.b);
    if (left.is_list() || right.is_list()) return kept(list_arithmetic(node.op, left, right, node.column));
    return apply_arithmetic(node.op, left, right, node.column);
  }

 private:
  static Operand unchanged(const Operand& operand, int column) {
    if (!operand.is_number()) throw ExpressionError("'+' needs a number, found " + operand.shown(), column);
    return operand.is_whole() ? Operand::of(operand.integer) : operand;
  }

  [[nodiscard]] Operand comparison(const Node& first) {
    Operand left = value(first.a);
    const Node* node = &first;
    while (true) {
      const bool is_membership = node->op == Op::contained || node->op == Op::lacking;
      if (is_membership && node->c == kNoNode && program_.nodes[node->b].op == Op::list)
        return Operand::of(is_item(left, program_.nodes[node->b], node->column) ==
                           (node->op == Op::contained));
      const Operand right = value(node->b);
      if (!apply_comparison(node->op, left, right, node->column)) return Operand::of(false);
      if (node->c == kNoNode) return Operand::of(true);
      left = right;
      node = &program_.nodes[node->c];
    }
  }

  // Whether it is one of the items of a list, which then need not exist as one: most constraints that name a list do this.
  [[nodiscard]] bool is_item(const Operand& item, const Node& list, int column) {
    bool is_there = false;
    for (std::uint32_t i = 0; i < list.b; ++i) {
      const Operand candidate = value(program_.arguments[list.a + i]);
      is_there = is_there || apply_comparison(Op::equal, candidate, item, column);
    }
    return is_there;
  }

  [[nodiscard]] Operand call(const Node& node) {
    const Function& function = functions()[node.c];
    if (function.make_list != nullptr) return kept(function.make_list(values(node.a, node.b), node.column));
    std::array<Operand, 4> few;  // written before read
    if (node.b > few.size()) return function.apply(values(node.a, node.b), node.column);
    for (std::uint32_t i = 0; i < node.b; ++i) few.at(i) = value(program_.arguments[node.a + i]);
    return function.apply(std::span(few).first(node.b), node.column);
  }

  std::vector<Operand> values(std::uint32_t first, std::uint32_t count) {
    std::vector<Operand> items;
    items.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) items.push_back(value(program_.arguments[first + i]));
    return items;
  }

  Operand comprehension(const Node& node) {
    locals_.resize(program_.locals);
    std::vector<Operand> items;
    collect(node.a, items);
    return kept(std::move(items));
  }

  // Recursive: the parser bounds the depth.
  void collect(std::uint32_t index, std::vector<Operand>& items) {
    const Node& node = program_.nodes[index];
    if (node.op == Op::keep_if) {
      if (value(node.a).truth()) collect(node.c, items);
    } else if (node.op == Op::each) {
      const Operand list = value(node.a);
      for (const Operand& item : items_of(list, "'for'", node.column)) {
        require_items(++visited_, node.column);
        locals_[node.b] = item;
        collect(node.c, items);
      }
    } else {
      items.push_back(value(index));
    }
  }

  Operand kept(std::vector<Operand> items) {
    lists_.push_back(std::make_unique<const std::vector<Operand>>(std::move(items)));
    return Operand::of(*lists_.back());
  }

  const ExpressionProgram& program_;
  std::span<const Operand> name_values_;
  std::vector<Operand> locals_;
  std::vector<std::unique_ptr<const std::vector<Operand>>> lists_;  // what operands refer to
  std::size_t visited_ = 0;                                         // items of all comprehensions
};

}  // namespace

Operand run_program(const ExpressionProgram& program, std::span<const Operand> name_values) {
  const Operand result = Evaluator(program, name_values).value(program.root);
  if (result.is_list()) throw ExpressionError("expected a single value, found a list", 0);
  return result;
}

std::vector<Value> run_list_program(const ExpressionProgram& program, std::span<const Operand> name_values) {
  Evaluator evaluator(program, name_values);
  std::vector<Value> values;
  for (const Operand& item : items_of(evaluator.value(program.root), "the place of values", 0)) {
    if (item.is_list()) throw ExpressionError("a list in the list: " + item.shown(), 0);
    values.push_back(item.value());
  }
  return values;
}

}  // namespace tailwave
