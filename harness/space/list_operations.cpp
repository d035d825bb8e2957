#include "space/list_operations.h"

#include <string>

#include "space/expression.h"

namespace tailwave {

void require_items(std::size_t count, int column) {
  if (count > kMostItems)
    throw ExpressionError("a list has more than " + std::to_string(kMostItems) + " items", column);
}

std::span<const Operand> items_of(const Operand& operand, const std::string& what, int column) {
  if (!operand.is_list()) throw ExpressionError(what + " needs a list, found " + operand.shown(), column);
  return *operand.list;
}

std::vector<Operand> list_arithmetic(Op op, const Operand& left, const Operand& right, int column) {
  std::vector<Operand> items;
  const auto append = [&](const Operand& list) {
    require_items(items.size() + list.list->size(), column);
    items.insert(items.end(), list.list->begin(), list.list->end());
  };
  if (op == Op::add && left.is_list() && right.is_list()) {
    append(left);
    append(right);
    return items;
  }
  if (op != Op::multiply || left.is_list() == right.is_list()) {
    throw ExpressionError("the operator cannot take " + left.shown() + " and " + right.shown(), column,
                          "lists have 'list + list' and 'list * number'");
  }
  const Operand& list = left.is_list() ? left : right;
  const std::int64_t times =
      to_integer(left.is_list() ? right : left, column, "a list is repeated a whole number of times");
  for (std::int64_t i = 0; i < times && !list.list->empty(); ++i) append(list);
  return items;
}

Operand item_at(const Operand& list, const Operand& index, int column) {
  const std::span<const Operand> items = items_of(list, "'[...]'", column);
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t given = to_integer(index, column, "an index needs a whole number");
  const std::int64_t position = given < 0 ? given + size : given;
  if (position < 0 || position >= size) {
    throw ExpressionError("index " + std::to_string(given) + " of a list with " + std::to_string(size) +
                              (size == 1 ? " item" : " items"),
                          column);
  }
  return items[static_cast<std::size_t>(position)];
}

std::vector<Operand> range_items(std::span<const Operand> arguments, int column) {
  const auto whole = [&](std::size_t i) {
    return to_integer(arguments[i], column, "'range' needs a whole number");
  };
  const std::int64_t begin = arguments.size() > 1 ? whole(0) : 0;
  const std::int64_t end = whole(arguments.size() > 1 ? 1 : 0);
  const std::int64_t step = arguments.size() > 2 ? whole(2) : 1;
  if (step == 0) throw ExpressionError("'range' with the step 0", column);
  std::vector<Operand> items;
  for (std::int64_t value = begin; step > 0 ? value < end : value > end;) {
    require_items(items.size() + 1, column);
    items.push_back(Operand::of(value));
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  return items;
}

}  // namespace tailwave
