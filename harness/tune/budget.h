#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/outlook.h"

namespace tailwave {

// Evaluations, or seconds of wall-clock time; one of the two.
struct SearchBudget {
  std::optional<std::size_t> evaluations;
  std::optional<double> seconds;
};

// Where none is given, of the evaluations that `configurations` of each problem take: kDefaultShare of them, at least
// kFewestEvaluations and at most kMostEvaluations, but no more than there are. All problems together.
inline constexpr double kDefaultShare = 0.05;
inline constexpr double kFewestEvaluations = 50, kMostEvaluations = 500;
SearchBudget default_budget(const std::vector<double>& configurations);

// "500" (evaluations), "60s", "5m", "1.5h". Throws Error (bad usage) for anything else and for nothing to spend.
SearchBudget parse_budget(const std::string& text);

// "1%:3%": 1 % more with a probability below 3 %; "never": none. Throws Error (bad usage) for anything else.
std::optional<StopTerms> parse_until(const std::string& text);
std::string to_string(const StopTerms& terms);

}  // namespace tailwave
