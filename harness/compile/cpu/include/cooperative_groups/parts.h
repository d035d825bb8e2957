#pragma once

// Parts of a block: tiles, the threads that come to one place together, and partitions of both.

#include <type_traits>

#include "thread_block.h"

namespace tailwave_cpu {

// Lanes that come to one place in the code while the one that came first lets all others run.
struct Gathering {
  const char* file;
  int line;
  unsigned lanes;
  bool closed;
  Gathering* next;
};

// Who comes later begins a gathering of its own, as those do on a GPU that come late to a branch. No thread of the
// operating system but one knows the list.
__attribute__((no_sanitize("thread"), noinline)) inline unsigned gathered_lanes(const char* file, int line) {
  static thread_local Gathering* open[32];
  Gathering*& first = open[running_block->thread / kWarpSize];
  Gathering own{file, line, 0, false, first};
  Gathering* mine = first;
  while (mine != nullptr && (mine->file != file || mine->line != line)) mine = mine->next;
  const bool is_first = mine == nullptr;
  if (is_first) first = mine = &own;
  mine->lanes |= 1u << lane();
  if (is_first) {
    __nanosleep(0);
    Gathering** place = &open[running_block->thread / kWarpSize];
    while (*place != mine) place = &(*place)->next;
    *place = mine->next;
    mine->closed = true;
  }
  while (!mine->closed) __nanosleep(0);
  const unsigned lanes = mine->lanes;
  __syncwarp(lanes);  // the first one's stack holds it until all have read it
  return lanes;
}

// A barrier of some warps of a block, and the predicates that they bring.
struct TileBarrier {
  unsigned arrived, generation, true_ones, result;
};

inline unsigned wait_at(TileBarrier& barrier, unsigned threads, bool predicate) {
  const unsigned generation = __atomic_load_n(&barrier.generation, __ATOMIC_ACQUIRE);
  __atomic_add_fetch(&barrier.true_ones, predicate ? 1u : 0u, __ATOMIC_ACQ_REL);
  if (__atomic_add_fetch(&barrier.arrived, 1u, __ATOMIC_ACQ_REL) == threads) {
    __atomic_store_n(&barrier.result, __atomic_exchange_n(&barrier.true_ones, 0u, __ATOMIC_ACQ_REL),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&barrier.arrived, 0u, __ATOMIC_RELEASE);
    __atomic_add_fetch(&barrier.generation, 1u, __ATOMIC_ACQ_REL);
  } else {
    while (__atomic_load_n(&barrier.generation, __ATOMIC_ACQUIRE) == generation) __nanosleep(0);
  }
  return __atomic_load_n(&barrier.result, __ATOMIC_ACQUIRE);
}

}  // namespace tailwave_cpu

namespace cooperative_groups {

// Some lanes of a warp, ranked by their order.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned lanes, unsigned rank = 0, unsigned count = 1)
      : lanes_(lanes), meta_rank_(rank), meta_size_(count) {}

  void sync() const { __syncwarp(lanes_); }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(__popc(lanes_)); }
  [[nodiscard]] unsigned num_threads() const { return size(); }
  [[nodiscard]] unsigned thread_rank() const { return rank_of(tailwave_cpu::lane()); }
  [[nodiscard]] unsigned meta_group_rank() const { return meta_rank_; }
  [[nodiscard]] unsigned meta_group_size() const { return meta_size_; }
  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] unsigned thread_of_rank(unsigned rank) const {
    return thread_block::thread_rank() - tailwave_cpu::lane() + lane_of(rank);
  }

  template <class T>
  T shfl(T value, unsigned rank) const {
    return __shfl_sync(lanes_, value, static_cast<int>(lane_of(rank % size())));
  }
  template <class T>
  T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, delta > rank ? rank : rank - delta);
  }
  template <class T>
  T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, delta < size() - rank ? rank + delta : rank);
  }
  [[nodiscard]] int any(int predicate) const { return __any_sync(lanes_, predicate); }
  [[nodiscard]] int all(int predicate) const { return __all_sync(lanes_, predicate); }
  [[nodiscard]] unsigned ballot(int predicate) const { return ranks_of(__ballot_sync(lanes_, predicate)); }
  template <class T>
  [[nodiscard]] unsigned match_any(T value) const {
    return ranks_of(__match_any_sync(lanes_, value));
  }
  template <class T>
  unsigned match_all(T value, int& predicate) const {
    return ranks_of(__match_all_sync(lanes_, value, &predicate));
  }

 private:
  [[nodiscard]] unsigned rank_of(unsigned lane) const {
    return static_cast<unsigned>(__popc(lanes_ & ((1u << lane) - 1)));
  }
  [[nodiscard]] unsigned lane_of(unsigned rank) const {
    unsigned rest = lanes_;
    for (; rank != 0; --rank) rest &= rest - 1;
    return static_cast<unsigned>(__ffs(static_cast<int>(rest)) - 1);
  }
  [[nodiscard]] unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0;
    for (unsigned rank = 0; rank < size(); ++rank) ranks |= (lanes >> lane_of(rank) & 1u) << rank;
    return ranks;
  }

  unsigned lanes_, meta_rank_, meta_size_;
};

inline coalesced_group coalesced_threads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return coalesced_group(tailwave_cpu::gathered_lanes(file, line));
}

// What tiles of each size have.
template <unsigned count, unsigned parent_count>
class tile_of_block {
 public:
  static unsigned thread_rank() { return thread_block::thread_rank() % count; }
  static constexpr unsigned size() { return count; }
  static constexpr unsigned num_threads() { return count; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() % parent_threads() / count; }
  static unsigned meta_group_size() { return (parent_threads() + count - 1) / count; }
  static unsigned thread_of_rank(unsigned rank) { return thread_block::thread_rank() - thread_rank() + rank; }

 private:
  static unsigned parent_threads() { return parent_count == 0 ? thread_block::size() : parent_count; }
};

template <unsigned count, unsigned parent_count>
class tile_of_warp : public tile_of_block<count, parent_count> {
 public:
  static void sync() { __syncwarp(lanes()); }
  static unsigned lanes() { return (0xffffffffu >> (32 - count)) << first_lane(); }

  template <class T>
  static T shfl(T value, int source) {
    return __shfl_sync(lanes(), value, source, count);
  }
  template <class T>
  static T shfl_up(T value, unsigned delta) {
    return __shfl_up_sync(lanes(), value, delta, count);
  }
  template <class T>
  static T shfl_down(T value, unsigned delta) {
    return __shfl_down_sync(lanes(), value, delta, count);
  }
  template <class T>
  static T shfl_xor(T value, int lane_mask) {
    return __shfl_xor_sync(lanes(), value, lane_mask, count);
  }
  static int all(int predicate) { return __all_sync(lanes(), predicate); }
  static int any(int predicate) { return __any_sync(lanes(), predicate); }
  static unsigned ballot(int predicate) { return __ballot_sync(lanes(), predicate) >> first_lane(); }
  template <class T>
  static unsigned match_any(T value) {
    return __match_any_sync(lanes(), value) >> first_lane();
  }
  template <class T>
  static unsigned match_all(T value, int& predicate) {
    return __match_all_sync(lanes(), value, &predicate) >> first_lane();
  }

 private:
  static unsigned first_lane() { return tailwave_cpu::lane() & ~(count - 1); }
};

template <unsigned count, unsigned parent_count>
class tile_of_warps : public tile_of_block<count, parent_count> {
 public:
  static void sync() { wait(false); }
  static int any(int predicate) { return wait(predicate != 0) != 0 ? 1 : 0; }
  static int all(int predicate) { return wait(predicate == 0) == 0 ? 1 : 0; }

 private:
  static unsigned wait(bool predicate) {
    static thread_local tailwave_cpu::TileBarrier barriers[1024 / count];
    return tailwave_cpu::wait_at(barriers[thread_block::thread_rank() / count], count, predicate);
  }
};

template <unsigned count, unsigned parent_count>
using tile_base = std::conditional_t<(count > 32), tile_of_warps<(count > 32 ? count : 64), parent_count>,
                                     tile_of_warp<(count > 32 ? 32 : count), parent_count>>;

template <class Parent>
constexpr unsigned kThreadsOf = 0;  // as many as the block has

template <unsigned count, class Parent = void>
class thread_block_tile : public tile_base<count, kThreadsOf<Parent>> {
  static_assert(count != 0 && count <= 1024 && (count & (count - 1)) == 0,
                "a tile has 1, 2, 4, ... 1024 threads");

 public:
  operator thread_block_tile<count, void>() const { return {}; }
  operator coalesced_group() const { return coalesced_group(this->lanes()); }
};
template <unsigned count>
class thread_block_tile<count, void> : public tile_base<count, 0> {
 public:
  operator coalesced_group() const { return coalesced_group(this->lanes()); }
};
template <unsigned count, class Parent>
constexpr unsigned kThreadsOf<thread_block_tile<count, Parent>> = count;

template <unsigned count, class Parent>
inline thread_block_tile<count, Parent> tiled_partition(const Parent&) {
  return {};
}

// A group whose kind is known when the kernel runs: a block or a part of a warp.
class thread_group {
 public:
  thread_group(thread_block) : part_(0) {}
  thread_group(coalesced_group part) : part_(part) {}
  template <unsigned count, class Parent>
  thread_group(thread_block_tile<count, Parent> tile) : part_(tile) {}

  void sync() const { is_block() ? thread_block::sync() : part_.sync(); }
  [[nodiscard]] unsigned size() const { return is_block() ? thread_block::size() : part_.size(); }
  [[nodiscard]] unsigned num_threads() const { return size(); }
  [[nodiscard]] unsigned thread_rank() const {
    return is_block() ? thread_block::thread_rank() : part_.thread_rank();
  }
  [[nodiscard]] unsigned thread_of_rank(unsigned rank) const {
    return is_block() ? rank : part_.thread_of_rank(rank);
  }
  [[nodiscard]] coalesced_group part() const { return is_block() ? coalesced_group(0xffffffffu) : part_; }

 private:
  [[nodiscard]] bool is_block() const { return part_.lanes() == 0; }
  coalesced_group part_;
};

// Of `count` ranks each.
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned count) {
  const unsigned mine = parent.thread_rank() / count;
  unsigned lanes = 0;
  for (unsigned rank = mine * count; rank < (mine + 1) * count && rank < parent.size(); ++rank)
    lanes |= 1u << (parent.thread_of_rank(rank) % 32);
  return coalesced_group(lanes, mine, (parent.size() + count - 1) / count);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned count) {
  return tiled_partition(parent.part(), count);
}
inline thread_group tiled_partition(const thread_block& parent, unsigned count) {
  return tiled_partition(thread_group(parent), count);
}

// Those whose labels are equal; the groups are ranked by their labels.
template <class Label>
inline coalesced_group labeled_partition(const coalesced_group& parent, Label label) {
  const unsigned same = __match_any_sync(parent.lanes(), label);
  unsigned groups = 0, rank = 0;
  for (unsigned other = 0; other < parent.size(); ++other) {
    const unsigned lanes = parent.shfl(same, other);
    const Label of_other = parent.shfl(label, other);
    const bool leads = (lanes & ((1u << (parent.thread_of_rank(other) % 32)) - 1)) == 0;
    if (!leads) continue;
    ++groups;
    if (of_other < label) ++rank;
  }
  return coalesced_group(same, rank, groups);
}
inline coalesced_group binary_partition(const coalesced_group& parent, bool which) {
  return labeled_partition(parent, which ? 1 : 0);
}

}  // namespace cooperative_groups
