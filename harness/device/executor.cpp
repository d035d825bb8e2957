#include "device/executor.h"

#include <fmt/format.h>

namespace tailwave {

void require_valid(const RunOptions& options, std::size_t launches) {
  const auto require = [](bool kept, const char* rule) {
    if (!kept) throw std::invalid_argument(rule);
  };
  require(options.executions >= 1, "at least one execution is needed");
  require(options.sets >= 1, "at least one set of launches is needed");
  require(launches % static_cast<std::size_t>(options.sets) == 0,
          "every set needs the same number of launches");
  require(!options.flush_cache || options.executions == 1, "the cache is flushed before one execution only");
}

void require_same_size(std::size_t buffer_bytes, std::size_t other_bytes) {
  if (buffer_bytes == other_bytes) return;
  throw std::invalid_argument(
      fmt::format("a buffer of {} bytes and {} bytes of data", buffer_bytes, other_bytes));
}

}  // namespace tailwave
