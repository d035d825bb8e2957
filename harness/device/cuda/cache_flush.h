#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "device/cuda/context.h"

namespace tailwave {

// Drives other data out of a device's L2 by writing twice its size, at least 64 MiB.
class CacheFlush {
 public:
  explicit CacheFlush(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~CacheFlush();
  CacheFlush(const CacheFlush&) = delete;
  CacheFlush& operator=(const CacheFlush&) = delete;

  // Queues the writing. The first call allocates the memory, which may wait for the device: no stream may be held.
  // Throws Failure(out_of_memory).
  void enqueue(CUstream stream);

 private:
  void allocate();

  std::shared_ptr<Context> context_;
  CUdeviceptr memory_ = 0;
  std::size_t size_bytes_ = 0;  // 0: not allocated
  std::uint32_t value_ = 0;     // another one each time, so that no write changes nothing
};

}  // namespace tailwave
