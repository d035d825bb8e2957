#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/outcome.h"
#include "device/cpu/block_runner.h"
#include "device/cpu/worker_pool.h"
#include "device/executor.h"

namespace tailwave {

// Threads that a cooperative launch may have in all: each has a stack of its own with a guard page.
inline constexpr std::uint64_t kMaxCooperativeThreads = FiberStack::kMostGuarded;

// Runs grids: blocks in linear order, each on the core that is free first. The blocks of a cooperative launch run all
// at once, each on a thread of its own (and with __shared__ memory of its own, since that is the thread's), and so do
// those of a cluster, of which as many run at once as there are cores for.
class GridRunner {
 public:
  explicit GridRunner(int cores);

  [[nodiscard]] int cores() const { return pool_.size(); }

  // Throws Failure with the first thing that went wrong in any block; blocks that have not begun then never do.
  // `trace`, one a block, gets when each ran and on which core; a cooperative launch has as many cores as blocks. Others
  // have at most `most_cores`, if that is not 0.
  struct Manner {
    bool cooperative = false;
    int most_cores = 0;
  };
  void run(const tailwave_cpu::Entry& entry, void** arguments, const GridShape& shape, const Manner& manner,
           std::span<BlockTime> trace = {});
  // Blocks that have been run, of all launches so far.
  [[nodiscard]] const std::atomic<std::uint64_t>& blocks_done() const { return blocks_done_; }
  // Called by the threads that run blocks, now and then.
  void set_on_progress(std::function<void()> on_progress) { on_progress_ = std::move(on_progress); }

 private:
  void run_in_clusters(const tailwave_cpu::Entry& entry, void** arguments, const GridShape& shape,
                       int most_cores, std::span<BlockTime> trace);

  std::atomic<std::uint64_t> blocks_done_{0};
  std::function<void()> on_progress_ = [] {};
  WorkerPool pool_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;  // one a participant of the pool
};

}  // namespace tailwave
