#pragma once

// What the threads of a group do together. Copies are made at once.

#include "parts.h"

namespace tailwave_cpu {

// Calls visit(rank, value) with the value of each thread of the group, in the order of their ranks.
template <class Group, class T, class Visit>
inline void visit_values(const Group& group, const T& value, Visit visit) {
  static thread_local const void* values[1024];
  values[running_block->thread] = &value;
  group.sync();
  for (unsigned rank = 0; rank < group.size(); ++rank) {
    const unsigned thread = group.thread_of_rank(rank);
    const bool is_there = thread < running_block->thread_count &&
                          (running_block->live_lanes[thread / kWarpSize] >> (thread % kWarpSize) & 1u) != 0;
    if (is_there) visit(rank, *static_cast<const T*>(values[thread]));
  }
  group.sync();
}

}  // namespace tailwave_cpu

namespace cooperative_groups {

#define TAILWAVE_COMBINING(name, ...)                    \
  template <class T>                                     \
  struct name {                                          \
    T operator()(T a, T b) const { return __VA_ARGS__; } \
  };
TAILWAVE_COMBINING(plus, a + b)
TAILWAVE_COMBINING(less, b < a ? b : a)
TAILWAVE_COMBINING(greater, a < b ? b : a)
TAILWAVE_COMBINING(bit_and, a& b)
TAILWAVE_COMBINING(bit_or, a | b)
TAILWAVE_COMBINING(bit_xor, a ^ b)
#undef TAILWAVE_COMBINING

// Every thread gets the result.
template <class Group, class T, class Combine>
inline T reduce(const Group& group, T value, Combine combine) {
  T result = value;
  tailwave_cpu::visit_values(group, value, [&](unsigned rank, const T& other) {
    result = rank == 0 ? other : combine(result, other);
  });
  return result;
}
// Pairs of lanes, as a GPU combines them.
template <unsigned count, class Parent, class T, class Combine>
inline std::enable_if_t<(count <= 32 && sizeof(T) <= 8), T> reduce(
    const thread_block_tile<count, Parent>& tile, T value, Combine combine) {
  for (unsigned distance = count / 2; distance != 0; distance /= 2)
    value = combine(value, tile.shfl_xor(value, static_cast<int>(distance)));
  return value;
}

template <class Group, class T, class Combine>
inline T inclusive_scan(const Group& group, T value, Combine combine) {
  const unsigned mine = group.thread_rank();
  T result = value;
  tailwave_cpu::visit_values(group, value, [&](unsigned rank, const T& other) {
    if (rank <= mine) result = rank == 0 ? other : combine(result, other);
  });
  return result;
}
template <class Group, class T>
inline T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
// The first thread gets T().
template <class Group, class T, class Combine>
inline T exclusive_scan(const Group& group, T value, Combine combine) {
  const unsigned mine = group.thread_rank();
  T result{};
  tailwave_cpu::visit_values(group, value, [&](unsigned rank, const T& other) {
    if (rank < mine) result = rank == 0 ? other : combine(result, other);
  });
  return result;
}
template <class Group, class T>
inline T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

template <class Group, class Function, class... Arguments>
inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
inline auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{}, of_first{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  tailwave_cpu::visit_values(group, result, [&](unsigned rank, const auto& other) {
    if (rank == 0) of_first = other;
  });
  return of_first;
}

// `bytes` may be a cuda::aligned_size_t.
template <class Group, class T, class Bytes>
inline void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  if (group.thread_rank() == 0) memcpy(static_cast<void*>(to), from, static_cast<size_t>(bytes));
}
template <class Group, class T, class Room, class Count>
inline void memcpy_async(const Group& group, T* to, const Room& room, const T* from, const Count& count) {
  const size_t has = static_cast<size_t>(room), wanted = static_cast<size_t>(count);
  memcpy_async(group, to, from, (has < wanted ? has : wanted) * sizeof(T));
}
template <class Group>
inline void wait(const Group& group) {
  group.sync();
}
template <unsigned stages, class Group>
inline void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
