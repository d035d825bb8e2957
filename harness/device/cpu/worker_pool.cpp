#include "device/cpu/worker_pool.h"

namespace tailwave {

WorkerPool::WorkerPool(int size) {
  for (int number = 1; number < size; ++number) threads_.emplace_back([this, number] { work(number); });
}

WorkerPool::~WorkerPool() {
  ending_ = true;
  ++generation_;
  generation_.notify_all();
}

void WorkerPool::run(int participants, const std::function<void(int)>& job) {
  if (participants > 1) {
    job_ = &job;
    participants_ = participants;
    unfinished_ = static_cast<int>(threads_.size());
    ++generation_;
    generation_.notify_all();
  }
  job(0);
  if (participants > 1)
    for (int left = unfinished_; left != 0; left = unfinished_) unfinished_.wait(left);
}

void WorkerPool::work(int number) {
  for (std::uint32_t seen = 0;;) {
    generation_.wait(seen);
    ++seen;
    if (ending_) return;
    if (number < participants_) (*job_)(number);
    if (--unfinished_ == 0) unfinished_.notify_one();
  }
}

}  // namespace tailwave
