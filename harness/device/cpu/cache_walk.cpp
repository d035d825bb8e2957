#include "device/cpu/cache_walk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>

#include "core/outcome.h"

namespace tailwave {
namespace {

constexpr std::size_t kLineBytes = 64;

std::size_t walk_bytes() {
  // -1 or 0 where the system does not know.
  const long largest = std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE));
  return std::max(2 * static_cast<std::size_t>(std::max(largest, 0L)), std::size_t{64} << 20);
}

}  // namespace

void CacheWalk::flush() {
  if (bytes_.empty()) {
    const std::size_t size = walk_bytes();
    try {
      bytes_.resize(size);
    } catch (const std::bad_alloc&) {
      throw Failure(Outcome::out_of_memory, fmt::format("no {} bytes to flush the caches with", size));
    }
  }
  for (std::size_t i = 0; i < bytes_.size(); i += kLineBytes) ++bytes_[i];
}

}  // namespace tailwave
