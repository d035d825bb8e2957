#pragma once

#include <string>
#include <tuple>

#include "core/members.h"
#include "core/value.h"

namespace tailwave {

// One point of an experiment: which variant, with which parameter values, on which problem.
struct Configuration {
  std::string system;
  std::string variant;
  Values parameters;
  Values problem;

  // "nbody/shared/BLOCK_SIZE:128/BLOCK_STRIDE:32/DT:0.01/N:4096": Google Benchmark's naming convention,
  // parameters first, then the problem, each sorted by name. Unique within a system.
  [[nodiscard]] std::string name() const;

  // Parameters and problem together, the scope in which manifest expressions are evaluated.
  [[nodiscard]] Values scope() const;

  static constexpr auto members() {
    // All of a recording is of one system.
    return std::tuple{
        member<kNotJson>("system", &Configuration::system), member("variant", &Configuration::variant),
        member("parameters", &Configuration::parameters), member("problem", &Configuration::problem)};
  }

  auto operator<=>(const Configuration&) const =
      default;  // NOLINT(modernize-use-nullptr): clang 14 sees a literal 0
};

}  // namespace tailwave
