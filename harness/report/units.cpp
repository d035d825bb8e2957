#include "report/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tailwave {
namespace {

struct Unit {
  double size;
  double from;  // smallest value that uses it
  const char* name;
};

// T only from 10 T on: tables of these studies count in G.
constexpr std::array<Unit, 4> kPrefixes{
    {{1e12, 1e13, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e3, 1e3, "k"}}};
constexpr std::array<Unit, 3> kTimes{{{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {1e-6, 1e-6, "us"}}};
constexpr std::string_view kPerSecond = "_per_second";
constexpr const char* kSelfReported = "self-reported";

}  // namespace

std::string format_number(double value) {
  const double size = std::abs(value);
  // Beyond 9999, all digits before the point are kept: no exponents.
  if (size >= 1e4 && size < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string format_si(double value) {
  for (const Unit& unit : kPrefixes) {
    if (std::abs(value) >= unit.from)
      return fmt::format("{} {}", format_number(value / unit.size), unit.name);
  }
  return format_number(value) + " ";
}

std::string format_time(double seconds) {
  for (const Unit& unit : kTimes) {
    if (seconds >= unit.from) return fmt::format("{} {}", format_number(seconds / unit.size), unit.name);
  }
  return fmt::format("{} ns", format_number(seconds * 1e9));
}

ShownMetric shown_metric(const MetricRecord& metric) {
  const std::size_t end = metric.name.rfind(kPerSecond);
  const bool is_rate = metric.name.ends_with(kPerSecond) && metric.unit == metric.name.substr(0, end) + "/s";
  return {metric.name, !is_rate && !is_time(metric.name), metric.unit, metric.self_reported};
}

std::string format_metric(const ShownMetric& metric, double value) {
  if (metric.own) return format_number(value) + (metric.unit.empty() ? "" : " " + metric.unit);
  return is_time(metric.name) ? format_time(value) : format_si(value) + "/s";
}

std::string metric_heading(const ShownMetric& metric) {
  if (metric.own) {
    std::string remark = metric.unit;
    if (metric.self_reported) remark += remark.empty() ? kSelfReported : std::string(", ") + kSelfReported;
    return metric.name + (remark.empty() ? "" : " (" + remark + ")");
  }
  if (!metric.name.ends_with(kPerSecond)) return metric.name;
  return metric.name.substr(0, metric.name.size() - kPerSecond.size()) + "/s";
}

std::string describe_value(const ShownMetric& metric, double value) {
  if (metric.own)
    return metric.name + " " + format_metric(metric, value) +
           (metric.self_reported ? std::string(" (") + kSelfReported + ")" : "");
  if (is_time(metric.name)) return format_time(value);
  const std::string number = format_si(value);
  return number + (number.ends_with(' ') ? "" : " ") + metric_heading(metric);
}

}  // namespace tailwave
