#pragma once

#include <condition_variable>
#include <mutex>

namespace tailwave {

// Where the blocks of a cooperative launch, each on a thread of its own, wait for each other.
class GridBarrier {
 public:
  enum class Result {
    passed,
    deserted,  // a block has finished, so that not all can ever be here
    aborted,   // abort() was called
  };

  explicit GridBarrier(unsigned blocks) : blocks_(blocks) {}

  Result arrive_and_wait();
  void leave();  // this block has finished
  void abort();  // lets all waiting blocks go

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned blocks_;
  unsigned arrived_ = 0;
  unsigned generation_ = 0;
  Result refusal_ = Result::passed;
};

}  // namespace tailwave
