#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "space/expression.h"

namespace tailwave {

// One word of a command line, as "--n={N}" of a manifest: text, expressions, and files that are known when it is run.
struct CommandWord {
  enum class Place { source, program };  // the variant's source; what is made of it, else the source
  using Part = std::variant<std::string, Expression, Place>;

  std::string written;  // as the manifest has it
  std::vector<Part> parts;

  // With values of the scope in place of expressions. Throws ExpressionError.
  [[nodiscard]] CommandWord with(const Values& scope) const;
  // Of one without expressions.
  [[nodiscard]] std::string text(const std::filesystem::path& source,
                                 const std::filesystem::path& program) const;
};

// What a buffer is called that a program finds in its folder, and leaves there.
std::string file_of_buffer(const std::string& buffer);

}  // namespace tailwave
