#include "tune/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "core/error.h"

namespace tailwave {
namespace {

// "3%" as 0.03; none where it is no share above 0.
std::optional<double> share_from(std::string_view text) {
  double percent = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), percent);
  const bool is_share = error == std::errc{} && std::string_view(end, text.end()) == "%" && percent > 0;
  if (!is_share || !std::isfinite(percent)) return {};
  return percent / 100;
}

}  // namespace

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

std::optional<StopTerms> parse_until(const std::string& text) {
  if (text == "never") return {};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view all(text);
  const std::optional<double> gain = share_from(all.substr(0, colon));
  const std::optional<double> probability = share_from(all.substr(std::min(colon + 1, text.size())));
  if (!gain || !probability || *probability > 1)
    throw Error(Diagnostic{
        .cause = fmt::format("--until '{}' is no gain and its probability", text),
        .hint = fmt::format(
            "for example 1%:3%: a search ends when one of the next {} evaluations gains 1 % with a "
            "probability below 3 %; never: with its budget",
            Outlook::kAhead)});
  return StopTerms{.gain = *gain, .probability = *probability};
}

std::string to_string(const StopTerms& terms) {
  return fmt::format("{:g}%:{:g}%", 100 * terms.gain, 100 * terms.probability);
}

}  // namespace tailwave
