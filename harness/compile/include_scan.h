#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// A preprocessor directive that makes a compiler read another file.
struct IncludeDirective {
  std::string word;     // "include", "include_next", "import", "embed"
  std::string name;     // "" where it is a macro that names the file
  bool quoted = false;  // "name", else <name>
  int line = 0;         // of its '#'
  bool operator==(const IncludeDirective&) const = default;
};

// Those of C++ or CUDA source, ordered by line, as they are after comments were taken out and lines joined, with
// whatever stands for the '#' (%: ??=). Conditions are not evaluated. Where compilers disagree (about trigraphs, blanks
// between a backslash and the line's end, a quote that nothing closes) these are those of all of them.
std::vector<IncludeDirective> include_directives(std::string_view source);

}  // namespace tailwave
