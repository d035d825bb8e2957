#pragma once

// Warp shuffles, votes and matches (CUDA C++ Programming Guide, "Warp Shuffle Functions" and "Warp Vote
// Functions"). A warp is 32 consecutive threads of a block in linear order.

#include "execution.h"
#include "integers.h"

namespace tailwave_cpu {

inline uint64_t warp(WarpOperation operation, unsigned mask, uint64_t value = 0, unsigned source = 0) {
  return with_others(running_block->services->warp, operation, mask, value, source);
}

inline unsigned lane() {
  return running_block->thread % kWarpSize;
}

template <class T>
inline T shuffle(unsigned mask, T value, unsigned source) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle moves up to 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = warp(WarpOperation::shuffle, mask, bits, source);
  memcpy(&value, &bits, sizeof value);
  return value;
}

// The lane that each form of shuffle reads; the caller's own where that is outside its segment of `width` lanes.
inline unsigned indexed_source(int source, int width) {
  const unsigned within = static_cast<unsigned>(width) - 1;
  return (lane() & ~within) | (static_cast<unsigned>(source) & within);
}
inline unsigned up_source(unsigned delta, int width) {
  const unsigned offset = lane() & (static_cast<unsigned>(width) - 1);
  return delta > offset ? lane() : lane() - delta;
}
inline unsigned down_source(unsigned delta, int width) {
  const unsigned offset = lane() & (static_cast<unsigned>(width) - 1);
  return delta >= static_cast<unsigned>(width) - offset ? lane() : lane() + delta;
}
inline unsigned xor_source(int lane_mask, int width) {
  const unsigned source = lane() ^ static_cast<unsigned>(lane_mask);
  return source > (lane() | (static_cast<unsigned>(width) - 1)) ? lane() : source;
}

template <class T>
inline uint64_t match_key(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a match compares 4 or 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace tailwave_cpu

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  return tailwave_cpu::shuffle(mask, value, tailwave_cpu::indexed_source(source, width));
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  return tailwave_cpu::shuffle(mask, value, tailwave_cpu::up_source(delta, width));
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  return tailwave_cpu::shuffle(mask, value, tailwave_cpu::down_source(delta, width));
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
  return tailwave_cpu::shuffle(mask, value, tailwave_cpu::xor_source(lane_mask, width));
}

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  tailwave_cpu::warp(tailwave_cpu::WarpOperation::sync, mask);
}
inline int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(tailwave_cpu::warp(tailwave_cpu::WarpOperation::all, mask, predicate != 0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(tailwave_cpu::warp(tailwave_cpu::WarpOperation::any, mask, predicate != 0));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(tailwave_cpu::warp(tailwave_cpu::WarpOperation::ballot, mask, predicate != 0));
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(
      tailwave_cpu::warp(tailwave_cpu::WarpOperation::match_any, mask, tailwave_cpu::match_key(value)));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  const auto lanes = static_cast<unsigned>(
      tailwave_cpu::warp(tailwave_cpu::WarpOperation::match_all, mask, tailwave_cpu::match_key(value)));
  *predicate = lanes != 0;
  return lanes;
}

// The lanes that have not finished. A GPU leaves out those that took another branch; here nobody knows.
inline unsigned __activemask() {
  return tailwave_cpu::running_block
      ->live_lanes[tailwave_cpu::running_block->thread / tailwave_cpu::kWarpSize];
}

namespace tailwave_cpu {

// Sum, minimum, ... over the lanes of a mask that have not finished.
template <class T, class Combine>
inline T reduce_lanes(unsigned mask, T value, Combine combine) {
  warp(WarpOperation::sync, mask);
  mask &= running_block->live_lanes[running_block->thread / kWarpSize];
  T result{};
  bool first = true;
  for (unsigned source = 0; source < kWarpSize; ++source) {
    if ((mask >> source & 1u) == 0) continue;
    const T other = shuffle(mask, value, source);
    result = first ? other : combine(result, other);
    first = false;
  }
  return result;
}

}  // namespace tailwave_cpu

#define TAILWAVE_REDUCTION(name, T, ...)                                                       \
  inline T name(unsigned mask, T value) {                                                      \
    return tailwave_cpu::reduce_lanes(mask, value, [](T a, T b) -> T { return __VA_ARGS__; }); \
  }
TAILWAVE_REDUCTION(__reduce_add_sync, unsigned, a + b)
TAILWAVE_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
TAILWAVE_REDUCTION(__reduce_max_sync, unsigned, a < b ? b : a)
TAILWAVE_REDUCTION(__reduce_and_sync, unsigned, a& b)
TAILWAVE_REDUCTION(__reduce_or_sync, unsigned, a | b)
TAILWAVE_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
TAILWAVE_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
TAILWAVE_REDUCTION(__reduce_max_sync, int, a < b ? b : a)
#undef TAILWAVE_REDUCTION
inline int __reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value)));
}
