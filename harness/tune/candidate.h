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

// A configuration on its way through the blocks of its group.
struct Candidate {
  const Pending* pending = nullptr;
  std::optional<Job> job;  // none: it was not built
  Trial trial;
  bool cut_short = false;  // it failed when the run was asked to stop, which says nothing of it

  [[nodiscard]] bool alive() const { return job && trial.outcome == Outcome::correct; }
};

// Everything that decides what the device executes; empty where that is not known from the machine code. Throws
// ExpressionError or Failure for what cannot be evaluated.
std::string work_identity(const Job& job);

}  // namespace tailwave
