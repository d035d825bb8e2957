#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tailwave {

// Evaluations, or seconds of wall-clock time; one of the two.
struct SearchBudget {
  std::optional<std::size_t> evaluations;
  std::optional<double> seconds;
};

// "500" (evaluations), "60s", "5m", "1.5h". Throws Error (bad usage) for anything else and for nothing to spend.
SearchBudget parse_budget(const std::string& text);

}  // namespace tailwave
