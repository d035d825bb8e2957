#include <fmt/format.h>

#include "core/statistics.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr int kSamples = 100;
constexpr int kBatch = 200;  // fewer than the operations that a held stream takes

Check time_of(const std::string& quantity, const std::vector<double>& times_us) {
  const Interval interval = median_interval(times_us);
  return {.name = "empty_kernel",
          .quantity = quantity,
          .unit = "us",
          .detail = fmt::format("median of {}, 95 % interval {:.3f} to {:.3f} us", times_us.size(),
                                interval.low, interval.high),
          .value = median(times_us)};
}

}  // namespace

std::vector<Check> check_empty_kernel(Instrument& instrument) {
  return {time_of("isolated", instrument.times_us(Instrument::empty(), kSamples)),
          time_of(fmt::format("batched, per launch of {}", kBatch),
                  instrument.times_us(Instrument::empty(), kSelftestSamples, {.executions = kBatch})),
          time_of("isolated, spinning for 0 us", instrument.times_us(Instrument::spin(0), kSamples))};
}

}  // namespace tailwave
