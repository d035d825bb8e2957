#include "device/cpu/grid_barrier.h"

namespace tailwave {

GridBarrier::Result GridBarrier::arrive_and_wait() {
  std::unique_lock lock(mutex_);
  if (refusal_ != Result::passed) return refusal_;
  const unsigned mine = generation_;
  if (++arrived_ == blocks_) {
    arrived_ = 0;
    ++generation_;
    changed_.notify_all();
    return Result::passed;
  }
  changed_.wait(lock, [&] { return generation_ != mine || refusal_ != Result::passed; });
  return generation_ != mine ? Result::passed : refusal_;
}

void GridBarrier::leave() {
  const std::lock_guard lock(mutex_);
  if (refusal_ == Result::passed) refusal_ = Result::deserted;
  changed_.notify_all();
}

void GridBarrier::abort() {
  const std::lock_guard lock(mutex_);
  refusal_ = Result::aborted;
  changed_.notify_all();
}

}  // namespace tailwave
