#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <stdexcept>

namespace tailwave::fakes {

// Flags, false at first, in memory that the processes share which are forked while they are there.
class SharedFlags {
 public:
  explicit SharedFlags(std::size_t count) : count_(count) {
    void* const memory = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    flags_ = new (memory) std::atomic<bool>[count];
  }
  ~SharedFlags() { munmap(flags_, count_); }
  SharedFlags(const SharedFlags&) = delete;
  SharedFlags& operator=(const SharedFlags&) = delete;

  std::atomic<bool>& operator[](std::size_t index) { return flags_[index]; }
  [[nodiscard]] const std::atomic<bool>* begin() const { return flags_; }
  [[nodiscard]] const std::atomic<bool>* end() const { return flags_ + count_; }

 private:
  std::size_t count_;
  std::atomic<bool>* flags_ = nullptr;
};

}  // namespace tailwave::fakes
