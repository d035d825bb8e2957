#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tailwave {

// The text of a kernel's source and of the files that it includes with quotes, as far as they can be read and lie in
// the canonical `folder`, without comments: for what can be told of it without a compiler.
class T1Source {
 public:
  T1Source(const std::filesystem::path& file, const std::filesystem::path& folder);

  // Whether the word is somewhere in it.
  [[nodiscard]] bool has(std::string_view word) const;
  // Parameters of the __global__ function; empty when it is not found or its parentheses are not closed.
  [[nodiscard]] std::optional<std::size_t> parameters_of(std::string_view kernel) const;

 private:
  std::string text_;
};

// The function's name in a kernel's: "a::reduce<4>" -> "reduce".
std::string_view function_of(std::string_view kernel);

}  // namespace tailwave
