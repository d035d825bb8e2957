#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adopt/lexemes.h"
#include "spec/source_outline.h"

namespace tailwave {

struct TemplateParameter {
  std::string name;
  bool is_type = false;       // typename or class
  std::string kind;           // "int", "bool", "typename"
  std::string default_value;  // empty: none
};

// A __global__ function with a body, as its text has it.
struct KernelText {
  std::string name;
  std::string scope;  // its namespaces: "tools::detail"; empty: none
  std::vector<TemplateParameter> templates;
  std::vector<OutlineParameter> parameters;
  Lexemes body;           // between its braces
  Lexemes launch_bounds;  // the arguments of __launch_bounds__; none: it has none
  std::size_t begin = 0;  // where its declaration begins in the source
  std::size_t end = 0;    // behind its last brace

  [[nodiscard]] std::string full_name() const { return scope.empty() ? name : scope + "::" + name; }
};

// Those of a source, in order; it has to outlive them. What has a parameter list that only a preprocessor can read (macros,
// packs) is left out, and named in `unreadable`.
std::vector<KernelText> kernels_of(const std::string& source, std::vector<std::string>& unreadable);

// A struct whose members are plain: "int n; float *x, *y; float4 origin;".
struct StructText {
  std::string name;
  std::vector<OutlineParameter> members;
};
std::optional<StructText> struct_named(std::string_view source, const std::string& name);

}  // namespace tailwave
