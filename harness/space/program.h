#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/value.h"

namespace tailwave {

enum class Op : std::uint8_t {
  constant,     // a: index into constants
  name,         // a: index into names
  negate,       // a
  plus,         // a
  logical_not,  // a
  logical_and,  // a, b
  logical_or,   // a, b
  conditional,  // a if b else c
  add,          // a, b: this and those below
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
  call,  // a: first index into arguments; b: how many; c: index of the function
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
  std::vector<std::uint32_t> arguments;  // nodes that are the arguments of calls
  std::vector<std::string> names;
  std::vector<int> name_columns;  // first use of each name
};

}  // namespace tailwave
