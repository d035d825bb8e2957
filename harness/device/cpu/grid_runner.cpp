#include "device/cpu/grid_runner.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <system_error>
#include <thread>

namespace tailwave {
namespace {

using tailwave_cpu::Index3;

std::uint64_t block_count(const GridShape& shape) {
  return std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
}

Index3 block_at(const GridShape& shape, std::uint64_t number) {
  const std::uint64_t row = number / shape.grid.x;
  return {static_cast<unsigned>(number % shape.grid.x), static_cast<unsigned>(row % shape.grid.y),
          static_cast<unsigned>(row / shape.grid.y)};
}

// What the threads that run one launch have in common.
class Progress {
 public:
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }

  void record(const BlockFailure& failure) {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = failure;
    failed_ = true;
  }

  // Calls `action`, which returns an optional failure; false when it failed, also by an exception.
  template <class Action>
  bool attempt(Action action) noexcept {
    std::optional<BlockFailure> failure;
    try {
      failure = action();
    } catch (const Failure& thrown) {
      failure = BlockFailure{thrown.outcome(), thrown.what()};
    } catch (const std::bad_alloc&) {
      failure = BlockFailure{Outcome::out_of_memory, "no memory to run a block"};
    }
    if (failure) record(*failure);
    return !failure;
  }

  void rethrow() const {
    if (first_) throw Failure(first_->outcome, first_->message);
  }

 private:
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<BlockFailure> first_;
};

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Notes a block's time from its construction to its end.
class BlockTimer {
 public:
  BlockTimer(std::span<BlockTime> trace, std::uint64_t block, int core)
      : time_(trace.empty() ? nullptr : &trace[static_cast<std::size_t>(block)]) {
    if (time_ != nullptr)
      *time_ = {.start_ns = now_ns(), .block = static_cast<std::int64_t>(block), .sm = core};
  }
  ~BlockTimer() {
    if (time_ != nullptr) time_->left_ns = time_->end_ns = now_ns();
  }
  BlockTimer(const BlockTimer&) = delete;
  BlockTimer& operator=(const BlockTimer&) = delete;

 private:
  BlockTime* time_;
};

void run_cooperatively(const tailwave_cpu::Entry& entry, void** arguments, const GridShape& shape,
                       std::span<BlockTime> trace) {
  const std::uint64_t blocks = block_count(shape);
  GridBarrier barrier(static_cast<unsigned>(blocks));
  Progress progress;
  const auto run_one = [&](std::uint64_t number) {
    const bool passed = progress.attempt([&] {
      auto runner = std::make_unique<BlockRunner>(&barrier);
      const BlockTimer timer(trace, number, static_cast<int>(number));
      return runner->run(entry, arguments, shape, block_at(shape, number));
    });
    passed ? barrier.leave() : barrier.abort();
  };
  std::vector<std::jthread> threads;
  try {
    for (std::uint64_t number = 0; number < blocks; ++number) threads.emplace_back(run_one, number);
  } catch (const std::system_error& error) {
    progress.record({Outcome::out_of_memory, std::string("no thread for every block: ") + error.what()});
    barrier.abort();
  }
  threads.clear();
  progress.rethrow();
}

}  // namespace

GridRunner::GridRunner(int cores) : pool_(cores) {
  for (int i = 0; i < pool_.size(); ++i) runners_.push_back(std::make_unique<BlockRunner>());
}

void GridRunner::run(const tailwave_cpu::Entry& entry, void** arguments, const GridShape& shape,
                     const Manner& manner, std::span<BlockTime> trace) {
  if (manner.cooperative) {
    run_cooperatively(entry, arguments, shape, trace);
    return;
  }
  const std::uint64_t blocks = block_count(shape);
  const int most = manner.most_cores > 0 ? std::min(manner.most_cores, cores()) : cores();
  const auto participants =
      static_cast<int>(std::min<std::uint64_t>(blocks, static_cast<std::uint64_t>(most)));
  constexpr std::uint64_t kSharesPerCore = 8, kLargestShare = 64;
  const std::uint64_t share = std::clamp<std::uint64_t>(
      blocks / (static_cast<std::uint64_t>(participants) * kSharesPerCore), 1, kLargestShare);
  std::atomic<std::uint64_t> next{0};
  Progress progress;
  pool_.run(participants, [&](int number) {
    BlockRunner& runner = *runners_[static_cast<std::size_t>(number)];
    for (std::uint64_t first = next.fetch_add(share); first < blocks; first = next.fetch_add(share)) {
      const std::uint64_t end = std::min(first + share, blocks);
      for (std::uint64_t block = first; block < end; ++block)
        if (progress.failed() || !progress.attempt([&] {
              const BlockTimer timer(trace, block, number);
              return runner.run(entry, arguments, shape, block_at(shape, block));
            }))
          return;
      blocks_done_.fetch_add(end - first);
      on_progress_();
    }
  });
  progress.rethrow();
}

}  // namespace tailwave
