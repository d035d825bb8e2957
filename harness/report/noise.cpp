#include "report/noise.h"

#include <fmt/format.h>

#include "core/bootstrap.h"

namespace tailwave {

namespace {

std::string spread_text(std::int64_t samples, double median, const Interval& interval) {
  if (samples < static_cast<std::int64_t>(kFewestSamples))
    return fmt::format("{} sample{}", samples, samples == 1 ? "" : "s");
  const double width = interval.high - interval.low;
  return width > kNoisyShare * median ? fmt::format("{:.0f} %", 100 * width / median) : "";
}

}  // namespace

std::string noise_text(std::int64_t samples, double median, const Interval& interval,
                       std::int64_t other_processes) {
  std::string text = spread_text(samples, median, interval);
  if (other_processes == 0) return text;
  return fmt::format("{}{} other process{}", text.empty() ? "" : text + ", ", other_processes,
                     other_processes == 1 ? "" : "es");
}

std::string noise_text(const StudyRow& row) {
  return row.median_s ? noise_text(row.samples, *row.median_s, row.interval_s, row.other_processes) : "";
}

std::string noise_remark(DeviceKind device) {
  return fmt::format(
      "{}: the 95 % interval of the median is wider than {:g} % of it, or has too few samples{}",
      kNoiseColumn, 100 * kNoisyShare,
      device == DeviceKind::cpu ? ", or other programs took its cores"
                                : ", or other programs had the GPU open");
}

}  // namespace tailwave
