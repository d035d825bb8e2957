#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "space/parameter_space.h"
#include "spec/reporter.h"

namespace tailwave {

// What the readers of a T1 file's parts share.
struct T1File {
  Json root;
  std::filesystem::path folder;  // canonical
  Reporter& errors;
  Reporter& warnings;
  Json side;  // the file beside it (spec/t1/side_file.h); absent where there is none
  Reporter& side_errors;
  std::vector<Parameter> parameters;
  Values defaults;  // a valid configuration: that of the Defaults where it is one
  // ProblemSize, one a dimension, as text that expressions can have in its place: a problem quantity of the system, or
  // an expression over the parameters.
  std::vector<std::string> problem;
  Values problem_values;  // of the quantities
  Lists lists;  // what names mean in a Size: the parameters' values, and ProblemSize where it is of numbers

  [[nodiscard]] std::vector<std::string> known_names() const;  // of expressions over one configuration
  // What the side file says of the argument, and of the kernel's variant.
  [[nodiscard]] Json beside_argument(const std::string& name) const;
  [[nodiscard]] Json beside_kernel() const;
  [[nodiscard]] const Parameter* find(const std::string& name) const;
  [[nodiscard]] Values default_scope() const;  // defaults and problem quantities
};

// The kernel's name as C++ has it: "_Z4stepPf" -> "step". Empty where there is none.
std::string t1_kernel_name(const Json& root);
// A name that Configuration and the database can have: "a b" -> "a_b".
std::string t1_name_from(const std::string& text);

// "problem_size_x", for 0 to 2.
std::string problem_quantity(std::size_t dimension);

// The text at a place that has to have one; reported when it is missing or something else.
const std::string* required_text(const Json& parent, const char* key, Reporter& reporter);

// The file that `place` names in `folder`; one that is not there is reported with `hint`, unless another one is near.
std::optional<std::filesystem::path> t1_file_inside(const std::filesystem::path& folder, const Json& place,
                                                    const std::string& hint, Reporter& reporter);

// `text` with "ProblemSize[0]" replaced by the first of `sizes` in parentheses, and so on. A text that is no expression
// stays as it is.
std::string with_problem_size(const std::string& text, const std::vector<std::string>& sizes);

// An expression over parameters and ProblemSize: text or a number. Empty, and everything wrong reported, when it is
// bad.
std::optional<Expression> read_t1_expression(const Json& place, const T1File& file);

}  // namespace tailwave
