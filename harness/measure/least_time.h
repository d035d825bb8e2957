#pragma once

#include <cstdint>

#include "device/executor.h"

namespace tailwave {

// Of the device's last-level cache; where it does not say, what is safely more than that of anything.
std::int64_t l2_bytes(const DeviceDescription& device);

// The least time in nanoseconds in which a device can write so many bytes, once each: all of them to L2, and what L2
// cannot hold to memory, at a rate 10 % beyond the best that was measured of either. 0: the rates are not known.
double least_write_ns(std::int64_t bytes, std::int64_t l2_bytes, const MemoryRates& rates);

}  // namespace tailwave
