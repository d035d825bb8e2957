#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/source_outline.h"

namespace tailwave {

// What a kernel's source and the files that it includes with quotes say without a compiler, as far as they can be read
// and lie in the canonical `folder`.
class T1Source {
 public:
  T1Source(const std::filesystem::path& file, const std::filesystem::path& folder);

  // Whether the word is somewhere in it, or may be: a macro that pastes makes any.
  [[nodiscard]] bool has(std::string_view word) const;
  // Parameters of the one function of that name, or __global__ function; null where there is none or several, or they
  // cannot be told.
  [[nodiscard]] const std::vector<OutlineParameter>* parameters_of(std::string_view name,
                                                                   bool is_kernel = true) const;
  [[nodiscard]] std::vector<std::string> kernels() const;

 private:
  SourceOutline outline_;
};

// The function's name in a kernel's: "a::reduce<4>" -> "reduce".
std::string_view function_of(std::string_view kernel);

}  // namespace tailwave
