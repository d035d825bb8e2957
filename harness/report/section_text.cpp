#include "report/section_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/statistics.h"
#include "report/markdown.h"
#include "report/units.h"

namespace tailwave {

std::vector<std::string> escaped(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = prose(cell);
  return cells;
}

std::string number_or_blank(const std::optional<double>& value) {
  return value ? format_number(*value) : "";
}
std::string percent(double share) {
  constexpr double kShownByTenths = 0.0005;  // less would be 0 %
  if (share != 0 && std::abs(share) < kShownByTenths) return fmt::format("{:.1g} %", 100 * share);
  return format_number(std::round(1000 * share) / 10) + " %";
}

std::string outcome_text(const StudyRow& row) {
  const bool is_unverified = row.outcome == Outcome::correct && !row.unverified.empty();
  return is_unverified ? kUnverified : std::string(to_string(row.outcome));
}

std::string plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool is_few(const StudyRow& row) {
  return row.samples < static_cast<std::int64_t>(kFewestSamples);
}

std::string interval_text(const StudyRow& row) {
  return fmt::format("{} to {}", format_time(row.interval_s.low), format_time(row.interval_s.high));
}

}  // namespace tailwave
