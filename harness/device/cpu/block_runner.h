#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/cpu/include/tailwave_abi.h"
#include "core/outcome.h"
#include "device/cpu/cluster_team.h"
#include "device/cpu/fiber.h"
#include "device/cpu/grid_barrier.h"

namespace tailwave {

// What all blocks of a launch have in common.
struct GridShape {
  tailwave_cpu::Index3 grid, block;
  tailwave_cpu::Index3 cluster{};  // of blocks; 0: the launch does not say
  unsigned threads = 0;            // a block
  std::size_t dynamic_shared_bytes = 0;
};

inline constexpr unsigned kMaxThreadsPerBlock = 1024;
inline constexpr std::size_t kMaxDynamicSharedBytes = 227 << 10;

struct BlockFailure {
  Outcome outcome = Outcome::launch_failed;
  std::string message;
};

// Runs blocks of kernels, one at a time, on the calling thread; it must always be the same one.
//
// One fiber runs the block's threads one after the other. A thread that has to wait leaves its fiber suspended, and
// the next thread starts on another one; when all have started, suspended fibers take turns in a ring. A thread
// that waits resumes when what it waits for has come; when a whole turn of the ring brings nothing, the block is
// deadlocked. Threads that have finished are not waited for, as on a GPU.
class BlockRunner : private tailwave_cpu::Block {
 public:
  // With a barrier the block can meet the others of a cooperative launch, with a team those of its cluster, in which it
  // has this rank.
  explicit BlockRunner(GridBarrier* grid = nullptr, ClusterTeam* team = nullptr, unsigned rank = 0);

  // Empty when all threads finished. After a failure the runner is good for other blocks.
  std::optional<BlockFailure> run(const tailwave_cpu::Entry& entry, void** arguments, const GridShape& shape,
                                  tailwave_cpu::Index3 index);

 private:
  // What a thread has asked of its warp, and the answer.
  struct Lane {
    tailwave_cpu::WarpOperation operation{};
    unsigned mask = 0, source = 0, generation = 0;
    std::uint64_t value = 0, result = 0;
  };
  struct Warp {
    unsigned arrived = 0;  // lanes that wait
    std::array<Lane, tailwave_cpu::kWarpSize> lanes;
  };

  static const tailwave_cpu::Services& service_table();
  static void run_threads(Fiber& self, void* owner);
  static tailwave_cpu::Arrival jump(void* context, void* from);

  int wait_at_barrier(tailwave_cpu::Barrier kind, int predicate);
  void complete(tailwave_cpu::Barrier kind);
  void meet_other_blocks();
  void meet_cluster();
  const tailwave_cpu::Cluster& known_cluster();
  std::uint64_t wait_in_warp(tailwave_cpu::WarpOperation operation, unsigned mask, std::uint64_t value,
                             unsigned source);
  bool complete(Warp& warp, unsigned live, const Lane& one);
  void let_others_run();
  void after_thread();
  // Leaves the fibers as they are: nothing on their stacks is destroyed, so the caller must own no memory.
  [[noreturn]] void abandon(Outcome outcome, std::string message);
  [[nodiscard]] std::string deadlock_message() const;

  void wait_while_same(const unsigned& generation, unsigned old);
  void go_on_waiting(const unsigned& generation, unsigned old);
  void switch_away();
  [[gnu::noinline]] void start_next_thread();
  void leave(Fiber& self);
  void go_to(Fiber& fiber);
  [[nodiscard]] Fiber& running() const { return static_cast<Fiber&>(*current); }
  Fiber& acquire();
  void reset();

  GridBarrier* grid_;
  ClusterTeam* team_;
  tailwave_cpu::Cluster own_cluster_{};  // of this block alone
  const tailwave_cpu::Entry* entry_ = nullptr;
  Flow caller_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_fibers_;
  std::array<Warp, kMaxThreadsPerBlock / tailwave_cpu::kWarpSize> warps_;
  std::array<std::uint32_t, kMaxThreadsPerBlock / tailwave_cpu::kWarpSize> lanes_{};
  std::optional<BlockFailure> failure_;
};

}  // namespace tailwave
