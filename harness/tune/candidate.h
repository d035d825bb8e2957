#pragma once

#include <optional>
#include <string>

#include "core/trial.h"
#include "measure/measurer.h"

namespace tailwave {

// A configuration that is still to be measured.
struct Pending {
  Configuration configuration;
  std::string key;
};

// A configuration on its way through the repetitions.
struct Candidate {
  std::optional<Job> job;  // none: it was not built
  Trial trial;
  int turns = 0;  // that have begun

  [[nodiscard]] bool alive() const { return job && trial.outcome == Outcome::correct; }
};

// Everything that decides what the device executes; empty where that is not known from the machine code. Throws
// ExpressionError or Failure for what cannot be evaluated.
std::string work_identity(const Job& job);

}  // namespace tailwave
