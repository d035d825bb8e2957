#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/cache_flush.h"

#include <fmt/format.h>

#include <algorithm>

namespace tailwave {

CacheFlush::~CacheFlush() {
  if (size_bytes_ == 0 || !context_->usable()) return;
  context_->enter();
  context_->api().mem_free(memory_);
}

void CacheFlush::allocate() {
  const DriverApi& api = context_->api();
  int cache_bytes = 0;
  context_->check(api.device_attribute(&cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, context_->device()),
                  "reading a device attribute");
  const std::size_t size = std::max(2 * static_cast<std::size_t>(cache_bytes), std::size_t{64} << 20);
  context_->check(api.mem_alloc(&memory_, size),
                  fmt::format("allocating {} bytes to flush the L2 cache", size));
  size_bytes_ = size;
}

void CacheFlush::enqueue(CUstream stream) {
  if (size_bytes_ == 0) allocate();
  context_->check(context_->api().set_words(memory_, ++value_, size_bytes_ / sizeof value_, stream),
                  "flushing the L2 cache");
}

}  // namespace tailwave
#endif
