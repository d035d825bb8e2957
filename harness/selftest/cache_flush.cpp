#include <fmt/format.h>

#include <cstddef>
#include <variant>

#include "core/statistics.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr double kLeastRatio = 1.2;

// Half of L2, so that it stays there when nothing flushes it; in whole reads.
std::size_t bytes_to_read(const DeviceDescription& device) {
  constexpr std::size_t kUnknown = std::size_t{16} << 20;
  constexpr std::size_t kBytesARead = 16;
  const auto known = device.properties.find("l2_bytes");
  const auto* l2 = known == device.properties.end() ? nullptr : std::get_if<std::int64_t>(&known->second);
  if (l2 == nullptr || *l2 <= 0) return kUnknown;
  return static_cast<std::size_t>(*l2) / 2 / kBytesARead * kBytesARead;
}

}  // namespace

Check judge_flush(double cold_us, double hot_us, bool applies, const std::string& detail) {
  const double ratio = cold_us / hot_us;
  return {.name = "cache_flush",
          .quantity = "cold over hot",
          .unit = "ratio",
          .expectation = applies ? fmt::format("above {:g}", kLeastRatio) : "",
          .detail = fmt::format("{}: cold {:.3f} us, hot {:.3f} us", detail, cold_us, hot_us),
          .value = ratio,
          .passed = applies ? std::optional(ratio > kLeastRatio) : std::nullopt};
}

std::vector<Check> check_cache_flush(Instrument& instrument) {
  const std::size_t bytes = bytes_to_read(instrument.device());
  const auto data = instrument.executor().allocate(bytes);
  instrument.executor().upload(*data, std::vector<std::byte>(bytes));
  const Launch launch = instrument.read(*data);
  const double hot_us = median(instrument.times_us(launch, kSelftestSamples));
  const double cold_us = median(instrument.times_us(launch, kSelftestSamples, {.flush_cache = true}));
  // Which level a CPU's data lie in, and who else uses it, is not the program's to say.
  const bool applies = instrument.device().kind == DeviceKind::cuda;
  std::string detail = fmt::format("{:.1f} MiB read", static_cast<double>(bytes) / (1 << 20));
  if (!applies) detail = "no verdict on a CPU; " + detail;
  return {judge_flush(cold_us, hot_us, applies, detail)};
}

}  // namespace tailwave
