#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace tailwave {

// Threads that live as long as the pool and do one job at a time together with the calling thread.
class WorkerPool {
 public:
  // `size` participants, the caller among them: starts one thread fewer.
  explicit WorkerPool(int size);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls job(0) here and job(1) .. job(participants - 1) on the pool's threads, and waits for all. The same number
  // is always the same thread, but for 0. The job must not throw. One caller at a time.
  void run(int participants, const std::function<void(int)>& job);

 private:
  // Counts the jobs a thread has been given; on a cache line of its own.
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> jobs{0};
  };

  void work(int number);

  const std::function<void(int)>* job_ = nullptr;
  std::atomic<int> unfinished_{0};  // threads that still work on the job
  std::atomic<bool> ending_{false};
  std::vector<Slot> slots_;  // by participant; the caller's is not used
  std::vector<std::jthread> threads_;
};

}  // namespace tailwave
