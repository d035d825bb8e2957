#pragma once

#include <span>
#include <vector>

#include "space/operand.h"
#include "space/program.h"

namespace tailwave {

// What expressions do with lists. All throw ExpressionError with the given column.

constexpr std::size_t kMostItems = 1'000'000;

void require_items(std::size_t count, int column);  // at most kMostItems

// The items of a list; "<what> needs a list, found 3".
std::span<const Operand> items_of(const Operand& operand, const std::string& what, int column);

// list + list and list * number (number * list).
std::vector<Operand> list_arithmetic(Op op, const Operand& left, const Operand& right, int column);

// list[index]; a negative index counts from the end.
Operand item_at(const Operand& list, const Operand& index, int column);

// Python's range(end), range(begin, end) and range(begin, end, step).
std::vector<Operand> range_items(std::span<const Operand> arguments, int column);

}  // namespace tailwave
