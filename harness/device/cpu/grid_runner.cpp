#include "device/cpu/grid_runner.h"

#include <algorithm>
#include <chrono>
#include <deque>
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

std::uint64_t number_of(const GridShape& shape, const Index3& block) {
  return (std::uint64_t{block.z} * shape.grid.y + block.y) * shape.grid.x + block.x;
}

// The clusters of a grid, and the blocks of each by their ranks.
class ClusterGrid {
 public:
  explicit ClusterGrid(const GridShape& shape)
      : cluster_({.grid = shape.cluster}),
        clusters_({.grid = {shape.grid.x / shape.cluster.x, shape.grid.y / shape.cluster.y,
                            shape.grid.z / shape.cluster.z}}) {}

  [[nodiscard]] std::uint64_t count() const { return block_count(clusters_); }
  [[nodiscard]] unsigned blocks_of_one() const { return static_cast<unsigned>(block_count(cluster_)); }
  [[nodiscard]] Index3 block(std::uint64_t cluster, unsigned rank) const {
    const Index3 first = block_at(clusters_, cluster), inside = block_at(cluster_, rank);
    return {first.x * cluster_.grid.x + inside.x, first.y * cluster_.grid.y + inside.y,
            first.z * cluster_.grid.z + inside.z};
  }

 private:
  GridShape cluster_, clusters_;  // their grids alone
};

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

// A team of threads runs each team-th cluster.
void GridRunner::run_in_clusters(const tailwave_cpu::Entry& entry, void** arguments, const GridShape& shape,
                                 int most_cores, std::span<BlockTime> trace) {
  const ClusterGrid clusters(shape);
  const auto count = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(most_cores) / clusters.blocks_of_one(), 1, clusters.count());
  std::deque<ClusterTeam> teams;
  for (std::uint64_t i = 0; i < count; ++i) teams.emplace_back(shape.cluster);
  Progress progress;
  const auto run_rank = [&](std::uint64_t team, unsigned rank) {
    const bool passed = progress.attempt([&]() -> std::optional<BlockFailure> {
      auto runner = std::make_unique<BlockRunner>(nullptr, &teams[team], rank);
      for (std::uint64_t cluster = team; cluster < clusters.count(); cluster += count) {
        if (progress.failed() || !teams[team].begin()) break;
        const Index3 block = clusters.block(cluster, rank);
        const BlockTimer timer(trace, number_of(shape, block),
                               static_cast<int>(team * clusters.blocks_of_one() + rank));
        if (auto failure = runner->run(entry, arguments, shape, block)) return failure;
        teams[team].leave();
        blocks_done_.fetch_add(1);
      }
      return std::nullopt;
    });
    if (!passed || progress.failed()) teams[team].abort();
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (std::uint64_t team = 0; team < count; ++team)
        for (unsigned rank = 0; rank < clusters.blocks_of_one(); ++rank)
          threads.emplace_back(run_rank, team, rank);
    } catch (const std::system_error& error) {
      progress.record({Outcome::out_of_memory, std::string("no thread for every block: ") + error.what()});
      for (ClusterTeam& team : teams) team.abort();
    }
  }
  on_progress_();
  progress.rethrow();
}

void GridRunner::run(const tailwave_cpu::Entry& entry, void** arguments, const GridShape& shape,
                     const Manner& manner, std::span<BlockTime> trace) {
  if (manner.cooperative) {
    run_cooperatively(entry, arguments, shape, trace);
    return;
  }
  const std::uint64_t blocks = block_count(shape);
  const int most = manner.most_cores > 0 ? std::min(manner.most_cores, cores()) : cores();
  if (shape.cluster.x * shape.cluster.y * shape.cluster.z > 1)
    return run_in_clusters(entry, arguments, shape, most, trace);
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
