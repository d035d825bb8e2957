#include "report/noise.h"

#include <fmt/format.h>

#include "core/bootstrap.h"

namespace tailwave {

std::string noise_text(std::int64_t samples, double median, const Interval& interval) {
  if (samples < static_cast<std::int64_t>(kFewestSamples))
    return fmt::format("{} sample{}", samples, samples == 1 ? "" : "s");
  const double width = interval.high - interval.low;
  return width > kNoisyShare * median ? fmt::format("{:.0f} %", 100 * width / median) : "";
}

std::string noise_text(const StudyRow& row) {
  if (!row.median_s) return "";
  std::string text = noise_text(row.samples, *row.median_s, row.interval_s);
  if (row.other_processes == 0) return text;
  return fmt::format("{}{} other process{}", text.empty() ? "" : text + ", ", row.other_processes,
                     row.other_processes == 1 ? "" : "es");
}

std::string noise_remark() {
  return fmt::format("{}: the 95 % interval of the median is wider than {:g} % of it, or has too few samples",
                     kNoiseColumn, 100 * kNoisyShare);
}

}  // namespace tailwave
