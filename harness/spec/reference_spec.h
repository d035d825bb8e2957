#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/value.h"
#include "space/expression.h"
#include "spec/buffer_spec.h"

namespace tailwave {

// How a buffer is compared with the reference's. `tolerance` is over the problem, parameters that all variants but
// the reference have, and those of the reference's `by`, which a variant without them has as the reference has. A range is for what no reference has digit by digit: each element has to be in it.
struct Comparison {
  enum class Norm {
    relative_l2,
    max_abs,
    max_rel,
    exact,
    range,
    ulp,
    close,
    differing
  } norm = Norm::relative_l2;
  Expression tolerance;            // close: relative to the expected value
  Expression absolute;             // close: besides; likewise
  double low = 0, high = 0;        // range
  std::optional<Expression> when;  // over the problem; false: not compared
};

template <>
struct EnumNames<Comparison::Norm> {
  static constexpr std::string_view noun = "norm";
  static constexpr std::array<std::string_view, 8> names{"relative_l2", "max_abs", "max_rel", "exact",
                                                         "range",       "ulp",     "close",   "differing"};
};

// A function of a file in the system's folder.
struct PythonReference {
  std::filesystem::path file;
  std::string function;
  // Hashes of the contents of all files that it may read, by their paths relative to the folder of `file`: what it
  // makes depends on no others.
  std::map<std::string, std::string> files;

  [[nodiscard]] std::filesystem::path path_of(const std::string& name) const {
    return (file.parent_path() / name).lexically_normal();
  }
};

// What says which results are right: one of the first four.
struct ReferenceSpec {
  // With its default parameters. A host variant runs on the CPU, a cuda variant on the run's GPU; in a T1 file it is
  // the only one there is (measure/reference.h).
  std::string variant;
  std::optional<PythonReference> python;
  // Results in files, by buffer, and the problem that they are of.
  std::map<std::string, Fill> stored;
  Values stored_problem;
  std::string none;  // why nothing says it: then no result is verified
  // Parameters of it that change what is right, of those that fills name all: it is executed with the values that a
  // configuration has.
  std::vector<std::string> by;
  std::map<std::string, Comparison> compare;  // by buffer
};

// What is verified besides the problem at hand, and on how many draws of the inputs.
struct VerifySpec {
  int draws = 2;
  // Other problems, by the quantities that differ: over problem and parameters.
  std::vector<std::map<std::string, Expression>> problems;
};

}  // namespace tailwave
