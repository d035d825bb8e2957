#include "measure/least_time.h"

#include <algorithm>

namespace tailwave {

std::int64_t l2_bytes(const DeviceDescription& device) {
  const auto known = device.properties.find("l2_bytes");
  const auto* bytes = known == device.properties.end() ? nullptr : std::get_if<std::int64_t>(&known->second);
  return bytes != nullptr && *bytes > 0 ? *bytes : std::int64_t{256} << 20;
}

double least_write_ns(std::int64_t bytes, std::int64_t l2_bytes, const MemoryRates& rates) {
  constexpr double kBeyond = 1.1;
  const double memory = kBeyond * std::max({rates.copy, rates.read, rates.write});
  const double cache = std::max(memory, kBeyond * std::max(rates.l2_read, rates.l2_write));
  if (memory <= 0) return 0;
  const auto beyond_cache = static_cast<double>(std::max<std::int64_t>(0, bytes - l2_bytes));
  return 1e9 * std::max(static_cast<double>(bytes) / cache, beyond_cache / memory);
}

}  // namespace tailwave
