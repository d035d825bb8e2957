#pragma once

#include <string>

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

  auto operator<=>(const Configuration&) const = default;
};

}  // namespace tailwave
