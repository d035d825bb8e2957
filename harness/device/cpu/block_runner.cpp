#include "device/cpu/block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "device/cpu/dynamic_shared.h"

namespace tailwave {

using tailwave_cpu::Barrier;
using tailwave_cpu::Block;
using tailwave_cpu::kWarpSize;
using tailwave_cpu::WarpOperation;

BlockRunner::BlockRunner(GridBarrier* grid, ClusterTeam* team, unsigned rank)
    : Block{}, grid_(grid), team_(team) {
  own_cluster_.size = {1, 1, 1};
  own_cluster_.blocks = 1;
  cluster_rank = rank;
  services = &service_table();
  live_lanes = lanes_.data();
}

std::optional<BlockFailure> BlockRunner::run(const tailwave_cpu::Entry& entry, void** kernel_arguments,
                                             const GridShape& shape, tailwave_cpu::Index3 index) {
  entry_ = &entry;
  arguments = kernel_arguments;
  grid_size = shape.grid;
  block_size = shape.block;
  block_index = index;
  thread_count = live_threads = shape.threads;
  dynamic_shared = DynamicShared::of_this_thread(shape.dynamic_shared_bytes);
  dynamic_shared_bytes = shape.dynamic_shared_bytes;
  cluster = shape.cluster.x == 0 ? nullptr : team_ != nullptr ? &team_->cluster() : &own_cluster_;
  if (cluster != nullptr) cluster->at[cluster_rank].dynamic_shared = dynamic_shared;
  next_thread = 0;
  next_index = {0, 0, 0};
  suspended = fruitless = 0;
  for (unsigned first = 0; first < thread_count; first += kWarpSize) {
    const unsigned lanes = std::min(kWarpSize, thread_count - first);
    lanes_[first / kWarpSize] = ~0U >> (kWarpSize - lanes);
  }
  failure_.reset();
  Fiber& fiber = acquire();
  fiber.next = fiber.previous = &fiber;
  current = &fiber;
  fiber.resume_from(caller_);
  if (failure_) reset();
  return failure_;
}

void BlockRunner::run_threads(Fiber& self, void* owner) {
  auto& runner = *static_cast<BlockRunner*>(owner);
  for (;;) {
    runner.entry_->run(runner);
    runner.leave(self);
  }
}

[[gnu::always_inline]] inline void BlockRunner::go_to(Fiber& fiber) {
  Fiber& here = running();
  current = &fiber;
  fiber.resume_from(here);
}

[[gnu::always_inline]] inline void BlockRunner::switch_away() {
  if (next_thread != thread_count)
    start_next_thread();
  else if (current->next != current)
    go_to(running().next_fiber());
}

void BlockRunner::go_on_waiting(const unsigned& generation, unsigned old) {
  while (generation == old) {
    if (++fruitless > suspended) abandon(Outcome::launch_failed, deadlock_message());
    switch_away();
  }
}

[[gnu::always_inline]] inline void BlockRunner::wait_while_same(const unsigned& generation, unsigned old) {
  const unsigned mine = thread;
  ++suspended;
  switch_away();
  if (generation == old) go_on_waiting(generation, old);
  --suspended;
  fruitless = 0;
  thread = mine;
}

[[gnu::always_inline]] inline int BlockRunner::wait_at_barrier(Barrier kind, int predicate) {
  if (kind == Barrier::grid && grid_ == nullptr)
    abandon(Outcome::launch_failed, "grid.sync() in a launch that is not cooperative");
  if (kind == Barrier::cluster) (void)known_cluster();
  tailwave_cpu::BarrierState& barrier = barriers[static_cast<std::size_t>(kind)];
  const unsigned generation = barrier.generation;
  barrier.predicates += predicate != 0 ? 1 : 0;
  if (++barrier.arrived == live_threads)
    complete(kind);
  else
    wait_while_same(barrier.generation, generation);
  return barrier.result;
}

void BlockRunner::complete(Barrier kind) {
  if (kind == Barrier::grid) meet_other_blocks();
  if (kind == Barrier::cluster) meet_cluster();
  tailwave_cpu::BarrierState& barrier = barriers[static_cast<std::size_t>(kind)];
  const unsigned true_ones = barrier.predicates;
  barrier.result = static_cast<int>(true_ones);
  if (kind == Barrier::all) barrier.result = true_ones == barrier.arrived ? 1 : 0;
  if (kind == Barrier::any) barrier.result = true_ones != 0 ? 1 : 0;
  barrier.arrived = barrier.predicates = 0;
  ++barrier.generation;
  fruitless = 0;
}

void BlockRunner::meet_other_blocks() {
  switch (grid_->arrive_and_wait()) {
    case GridBarrier::Result::passed:
      return;
    case GridBarrier::Result::deserted:
      abandon(Outcome::launch_failed, "barrier deadlock: a block finished while others wait in grid.sync()");
    case GridBarrier::Result::aborted:
      abandon(Outcome::launch_failed, "another block failed");
  }
}

void BlockRunner::meet_cluster() {
  if (team_ != nullptr && !team_->arrive_and_wait()) abandon(Outcome::launch_failed, "another block failed");
}

const tailwave_cpu::Cluster& BlockRunner::known_cluster() {
  if (cluster == nullptr)
    abandon(
        Outcome::unavailable,
        "this_cluster() in a launch of which only the code may know clusters: on the CPU device the manifest "
        "has to say how large they are, \"cluster\": 1 where there are none");
  return *cluster;
}

[[gnu::always_inline]] inline std::uint64_t BlockRunner::wait_in_warp(WarpOperation operation, unsigned mask,
                                                                      std::uint64_t value, unsigned source) {
  Warp& warp = warps_[thread / kWarpSize];
  const unsigned lane = thread % kWarpSize;
  if ((mask >> lane & 1U) == 0)
    abandon(
        Outcome::launch_failed,
        fmt::format("lane {} takes part in a warp operation whose mask {:#010x} leaves it out", lane, mask));
  Lane& mine = warp.lanes[lane];
  const unsigned generation = mine.generation;
  mine.operation = operation;
  mine.mask = mask;
  mine.value = value;
  mine.source = source;
  warp.arrived |= 1U << lane;
  if (!complete(warp, lanes_[thread / kWarpSize], mine)) wait_while_same(mine.generation, generation);
  return mine.result;
}

// Answers the lanes that do the same as `one`, if all of them are there.
bool BlockRunner::complete(Warp& warp, unsigned live, const Lane& one) {
  const unsigned group = one.mask & live;
  if ((group & ~warp.arrived) != 0) return false;
  const auto for_each_lane = [&](auto action) {
    for (unsigned rest = group; rest != 0; rest &= rest - 1)
      action(warp.lanes[static_cast<unsigned>(std::countr_zero(rest))], rest & -rest);
  };
  unsigned true_ones = 0;
  bool together = true, equal = true;
  for_each_lane([&](const Lane& lane, unsigned bit) {
    together = together && lane.operation == one.operation && (lane.mask & live) == group;
    equal = equal && lane.value == one.value;
    if (lane.value != 0) true_ones |= bit;
  });
  if (!together) return false;

  const auto same_as = [&](const Lane& lane) {
    unsigned same = 0;
    for_each_lane([&](const Lane& other, unsigned bit) { same |= other.value == lane.value ? bit : 0; });
    return same;
  };
  const auto answer = [&](const Lane& lane) -> std::uint64_t {
    switch (lane.operation) {
      case WarpOperation::sync:
        return 0;
      case WarpOperation::shuffle:
        return (group >> lane.source & 1U) != 0 ? warp.lanes[lane.source].value : lane.value;
      case WarpOperation::all:
        return true_ones == group ? 1 : 0;
      case WarpOperation::any:
        return true_ones != 0 ? 1 : 0;
      case WarpOperation::ballot:
        return true_ones;
      case WarpOperation::match_any:
        return same_as(lane);
      case WarpOperation::match_all:
        return equal ? group : 0;
    }
    return 0;
  };
  for_each_lane([&](Lane& lane, unsigned) {
    lane.result = answer(lane);
    ++lane.generation;
  });
  warp.arrived &= ~group;
  fruitless = 0;
  return true;
}

[[gnu::always_inline]] inline void BlockRunner::let_others_run() {
  const unsigned mine = thread;
  fruitless = 0;
  switch_away();
  thread = mine;
}

// The thread that just finished may have been the last that others waited for.
void BlockRunner::after_thread() {
  fruitless = 0;
  for (int kind = 0; kind < tailwave_cpu::kBarriers; ++kind)
    if (barriers[kind].arrived != 0 && barriers[kind].arrived == live_threads)
      complete(static_cast<Barrier>(kind));
  Warp& warp = warps_[thread / kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if ((warp.arrived >> lane & 1U) != 0) complete(warp, lanes_[thread / kWarpSize], warp.lanes[lane]);
}

void BlockRunner::abandon(Outcome outcome, std::string message) {
  failure_ = BlockFailure{outcome, std::move(message)};
  caller_.resume_from(running());
  __builtin_unreachable();
}

std::string BlockRunner::deadlock_message() const {
  constexpr std::array<const char*, tailwave_cpu::kBarriers> kNames{
      "__syncthreads()",    "__syncthreads_count()", "__syncthreads_and()",
      "__syncthreads_or()", "grid.sync()",           "cluster.sync()"};
  std::string places;
  const auto add = [&](unsigned threads, const char* place) {
    if (threads == 0) return;
    places += fmt::format("{}{} {} in {}", places.empty() ? "" : ", ", threads,
                          threads == 1 ? "thread waits" : "threads wait", place);
  };
  for (int kind = 0; kind < tailwave_cpu::kBarriers; ++kind) add(barriers[kind].arrived, kNames[kind]);
  unsigned in_warps = 0;
  for (const Warp& warp : warps_) in_warps += static_cast<unsigned>(std::popcount(warp.arrived));
  add(in_warps, "warp operations");
  return fmt::format("barrier deadlock in block ({}, {}, {}): {}; {} of {} have finished", block_index.x,
                     block_index.y, block_index.z, places, thread_count - live_threads, thread_count);
}

// On a fiber of its own, which runs on until all threads have started.
void BlockRunner::start_next_thread() {
  Fiber* fiber = nullptr;
  BlockFailure failure;
  try {
    fiber = &acquire();
  } catch (const Failure& thrown) {
    failure = {thrown.outcome(), thrown.what()};
  }
  if (fiber == nullptr) abandon(failure.outcome, std::move(failure.message));
  fiber->previous = &running();
  fiber->next = current->next;
  fiber->next_fiber().previous = fiber;
  current->next = fiber;
  go_to(*fiber);
}

// Out of the ring, until acquire() finds new work for the fiber.
void BlockRunner::leave(Fiber& self) {
  idle_fibers_.push_back(&self);
  if (self.next == &self) {
    caller_.resume_from(self);
    return;
  }
  self.previous->next = self.next;
  self.next_fiber().previous = self.previous;
  go_to(self.next_fiber());
}

Fiber& BlockRunner::acquire() {
  if (idle_fibers_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>(&run_threads, this, static_cast<unsigned>(fibers_.size())));
    return *fibers_.back();
  }
  Fiber& fiber = *idle_fibers_.back();
  idle_fibers_.pop_back();
  return fiber;
}

tailwave_cpu::Arrival BlockRunner::jump(void* context, void* from) {
  const auto [left, flow] = boost::context::detail::jump_fcontext(context, from);
  return {left, flow};
}

const tailwave_cpu::Services& BlockRunner::service_table() {
  static constexpr auto runner = [](Block& block) -> BlockRunner& {
    return static_cast<BlockRunner&>(block);
  };
  static const tailwave_cpu::Services table{
      [](Block& block, Barrier kind, int predicate) {
        return runner(block).wait_at_barrier(kind, predicate);
      },
      [](Block& block, WarpOperation operation, unsigned mask, std::uint64_t value, unsigned source) {
        return runner(block).wait_in_warp(operation, mask, value, source);
      },
      [](Block& block, const unsigned& generation, unsigned old) {
        runner(block).go_on_waiting(generation, old);
      },
      [](Block& block) { runner(block).let_others_run(); },
      [](Block& block) { runner(block).after_thread(); },
      [](Block& block, const char* message) { runner(block).abandon(Outcome::crashed, message); },
      [](Block& block) -> const tailwave_cpu::Cluster& { return runner(block).known_cluster(); },
      &jump};
  return table;
}

void BlockRunner::reset() {
  idle_fibers_.clear();
  for (const auto& fiber : fibers_) {
    fiber->restart();
    idle_fibers_.push_back(fiber.get());
  }
  std::fill(std::begin(barriers), std::end(barriers), tailwave_cpu::BarrierState{});
  for (Warp& warp : warps_) warp.arrived = 0;
}

}  // namespace tailwave
