#include "tune/budget.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "core/error.h"

namespace tailwave {

SearchBudget default_budget(const std::vector<double>& configurations) {
  std::size_t evaluations = 0;
  for (const double all : configurations) {
    const double some = std::clamp(std::ceil(kDefaultShare * all), kFewestEvaluations, kMostEvaluations);
    evaluations += static_cast<std::size_t>(std::min(some, all));
  }
  return {.evaluations = evaluations};
}

SearchBudget parse_budget(const std::string& text) {
  const Error refusal(Diagnostic{.cause = "--budget '" + text + "' is neither evaluations nor a time",
                                 .hint = "for example 500, or 60s, 5m, 1.5h"});
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || !std::isfinite(number)) throw refusal;
  const std::string unit(end, last);
  const std::map<std::string_view, double> units_s{{"s", 1}, {"m", 60}, {"h", 3600}};
  const auto time = units_s.find(unit);
  constexpr double kMostCounted = 1e15;
  const bool is_count = unit.empty() && number == std::floor(number) && number <= kMostCounted;
  if (time == units_s.end() && !is_count) throw refusal;
  if (number <= 0)
    throw Error(Diagnostic{.cause = "--budget '" + text + "' leaves nothing to spend",
                           .hint = "for example 500, or 60s, 5m, 1.5h"});
  if (time != units_s.end()) return {.seconds = number * time->second};
  return {.evaluations = static_cast<std::size_t>(number)};
}

}  // namespace tailwave
