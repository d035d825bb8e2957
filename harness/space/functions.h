#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/operand.h"

namespace tailwave {

// A function that expressions can call.
struct Function {
  std::string_view name;
  std::size_t fewest_arguments;
  std::size_t most_arguments;
  Operand (*apply)(std::span<const Operand> arguments, int column);  // throws ExpressionError
  // Of a function whose value is a list, instead of `apply`.
  std::vector<Operand> (*make_list)(std::span<const Operand> arguments, int column) = nullptr;
};

std::span<const Function> functions();
// Index into functions().
std::optional<std::uint32_t> find_function(std::string_view name);
std::vector<std::string> function_names();

}  // namespace tailwave
