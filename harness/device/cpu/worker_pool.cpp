#include "device/cpu/worker_pool.h"

#include <algorithm>

namespace tailwave {

WorkerPool::WorkerPool(int size) : slots_(static_cast<std::size_t>(std::max(size, 1))) {
  for (int number = 1; number < size; ++number) threads_.emplace_back([this, number] { work(number); });
}

WorkerPool::~WorkerPool() {
  ending_ = true;
  for (Slot& slot : slots_) {
    ++slot.jobs;
    slot.jobs.notify_one();
  }
}

void WorkerPool::run(int participants, const std::function<void(int)>& job) {
  job_ = &job;
  unfinished_ = participants - 1;
  for (std::size_t number = 1; number < static_cast<std::size_t>(participants); ++number) {
    ++slots_[number].jobs;
    slots_[number].jobs.notify_one();
  }
  job(0);
  for (int left = unfinished_; left != 0; left = unfinished_) unfinished_.wait(left);
}

void WorkerPool::work(int number) {
  const std::atomic<std::uint32_t>& jobs = slots_[static_cast<std::size_t>(number)].jobs;
  for (std::uint32_t done = 0;; ++done) {
    jobs.wait(done);
    if (ending_) return;
    (*job_)(number);
    if (--unfinished_ == 0) unfinished_.notify_one();
  }
}

}  // namespace tailwave
