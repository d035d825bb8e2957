#pragma once

#include <cstddef>

namespace tailwave {

// Memory for one fiber's stack, above a page that no one may touch: an overflow ends the process instead of
// damaging a neighbour. Pages come into being when they are first used. Only the first kMostGuarded stacks alive
// have that page, since each takes two of the mappings that Linux grants a process (vm.max_map_count, 65530 by
// default); further ones lie side by side without.
class FiberStack {
 public:
  static constexpr int kMostGuarded = 24576;

  // Throws Failure(out_of_memory).
  FiberStack();
  ~FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

  [[nodiscard]] std::byte* bottom() const { return bottom_; }  // lowest usable address
  [[nodiscard]] std::byte* top() const { return bottom_ + size(); }
  static std::size_t size();  // usable bytes

 private:
  std::byte* bottom_ = nullptr;
  bool guarded_ = false;
};

}  // namespace tailwave
