#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/value.h"

namespace tailwave {

enum class Op : std::uint8_t {
  constant,       // a: index into constants
  name,           // a: index into names
  negate,         // a
  plus,           // a
  logical_not,    // a
  logical_and,    // a, b
  logical_or,     // a, b
  conditional,    // a if b else c
  local,          // a: the slot of a comprehension's name
  list,           // a: first index into arguments; b: how many
  comprehension,  // a: an each, which ends in the element
  each,           // the rest c for each item of the list a as slot b
  keep_if,        // the rest c where a is true
  subscript,      // a[b]
  add,            // a, b: this and those below
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  less,  // a, b; c: the next comparison of a chain, whose left side is this one's right; kNoNode: none
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  contained,  // in
  lacking,    // not in
  call,       // a: first index into arguments; b: how many; c: index of the function
};

constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

struct Node {
  Op op = Op::constant;
  int column = 0;  // of the operator, the name or the function in the text
  std::uint32_t a = 0, b = 0, c = kNoNode;
};

// An expression as a tree in one array.
struct ExpressionProgram {
  std::string text;
  std::vector<Node> nodes;
  std::uint32_t root = 0;
  std::vector<Value> constants;
  std::vector<std::uint32_t> arguments;  // nodes that are arguments of calls or items of lists
  std::vector<std::string> names;
  std::vector<int> name_columns;  // first use of each name
  std::uint32_t locals = 0;       // slots of the names of comprehensions
};

}  // namespace tailwave
