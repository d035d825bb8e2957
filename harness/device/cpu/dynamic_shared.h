#pragma once

#include <cstddef>

namespace tailwave {

// The dynamic shared memory of the block that a thread of the operating system runs: kMaxDynamicSharedBytes at an
// address that stays the same for the thread's life, aligned to 1 KiB.
class DynamicShared {
 public:
  // For a launch that has this many bytes; with AddressSanitizer the others are out of bounds.
  static void* of_this_thread(std::size_t bytes);

  DynamicShared();
  ~DynamicShared();
  DynamicShared(const DynamicShared&) = delete;
  DynamicShared& operator=(const DynamicShared&) = delete;

 private:
  void* memory_;
  std::size_t usable_;
};

}  // namespace tailwave
