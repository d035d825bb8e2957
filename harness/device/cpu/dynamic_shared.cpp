#include "device/cpu/dynamic_shared.h"

#include <cstdlib>
#include <new>

#include "device/cpu/block_runner.h"
#include "device/cpu/sanitizer.h"

namespace tailwave {
namespace {

constexpr std::size_t kSharedAlignment = 1024;
static_assert(kMaxDynamicSharedBytes % kSharedAlignment == 0);

}  // namespace

DynamicShared::DynamicShared()
    : memory_(std::aligned_alloc(kSharedAlignment, kMaxDynamicSharedBytes)), usable_(kMaxDynamicSharedBytes) {
  if (memory_ == nullptr) throw std::bad_alloc();
}

DynamicShared::~DynamicShared() {
  sanitizer::unpoison(memory_, kMaxDynamicSharedBytes);
  std::free(memory_);
}

void* DynamicShared::of_this_thread(std::size_t bytes) {
  thread_local DynamicShared own;
  if (own.usable_ != bytes) {
    sanitizer::unpoison(own.memory_, bytes);
    sanitizer::poison(static_cast<std::byte*>(own.memory_) + bytes, kMaxDynamicSharedBytes - bytes);
    own.usable_ = bytes;
  }
  return own.memory_;
}

}  // namespace tailwave
