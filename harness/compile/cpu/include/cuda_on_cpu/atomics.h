#pragma once

// Atomic functions. Real ones: blocks run on several cores. Order is relaxed, as on a GPU. All return the old
// value. The _block and _system forms are the same.

#include "integers.h"

namespace tailwave_cpu {

// Replaces *address by change(*address) in one step.
template <class T, class Change>
inline T atomic_update(T* address, Change change) {
  T old, changed;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  do {
    changed = change(old);
  } while (!__atomic_compare_exchange(address, &old, &changed, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}

template <class T>
inline T atomic_min(T* address, T value) {
  T old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (value < old &&
         !__atomic_compare_exchange_n(address, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <class T>
inline T atomic_max(T* address, T value) {
  T old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (old < value &&
         !__atomic_compare_exchange_n(address, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <class T>
inline T atomic_exchange(T* address, T value) {
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  return old;
}

template <class T>
inline T atomic_compare_and_swap(T* address, T compare, T value) {
  __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return compare;
}

}  // namespace tailwave_cpu

#define TAILWAVE_ATOMIC(name, T, ...)           \
  inline T name(T* address, T value) {          \
    return __VA_ARGS__;                         \
  }                                             \
  inline T name##_block(T* address, T value) {  \
    return name(address, value);                \
  }                                             \
  inline T name##_system(T* address, T value) { \
    return name(address, value);                \
  }
#define TAILWAVE_ATOMIC_CAS(T)                                             \
  inline T atomicCAS(T* address, T compare, T value) {                     \
    return tailwave_cpu::atomic_compare_and_swap(address, compare, value); \
  }                                                                        \
  inline T atomicCAS_block(T* address, T compare, T value) {               \
    return atomicCAS(address, compare, value);                             \
  }                                                                        \
  inline T atomicCAS_system(T* address, T compare, T value) {              \
    return atomicCAS(address, compare, value);                             \
  }
#define TAILWAVE_ATOMIC_BITS(T)                                                       \
  TAILWAVE_ATOMIC(atomicAnd, T, __atomic_fetch_and(address, value, __ATOMIC_RELAXED)) \
  TAILWAVE_ATOMIC(atomicOr, T, __atomic_fetch_or(address, value, __ATOMIC_RELAXED))   \
  TAILWAVE_ATOMIC(atomicXor, T, __atomic_fetch_xor(address, value, __ATOMIC_RELAXED)) \
  TAILWAVE_ATOMIC(atomicExch, T, tailwave_cpu::atomic_exchange(address, value))       \
  TAILWAVE_ATOMIC_CAS(T)
#define TAILWAVE_ATOMIC_EXTREMA(T)                                        \
  TAILWAVE_ATOMIC(atomicMin, T, tailwave_cpu::atomic_min(address, value)) \
  TAILWAVE_ATOMIC(atomicMax, T, tailwave_cpu::atomic_max(address, value))

TAILWAVE_ATOMIC(atomicAdd, int, __atomic_fetch_add(address, value, __ATOMIC_RELAXED))
TAILWAVE_ATOMIC(atomicAdd, unsigned, __atomic_fetch_add(address, value, __ATOMIC_RELAXED))
TAILWAVE_ATOMIC(atomicAdd, unsigned long long, __atomic_fetch_add(address, value, __ATOMIC_RELAXED))
TAILWAVE_ATOMIC(atomicAdd, float,
                tailwave_cpu::atomic_update(address, [value](float x) { return x + value; }))
TAILWAVE_ATOMIC(atomicAdd, double,
                tailwave_cpu::atomic_update(address, [value](double x) { return x + value; }))
TAILWAVE_ATOMIC(atomicSub, int, __atomic_fetch_sub(address, value, __ATOMIC_RELAXED))
TAILWAVE_ATOMIC(atomicSub, unsigned, __atomic_fetch_sub(address, value, __ATOMIC_RELAXED))
TAILWAVE_ATOMIC(atomicExch, float, tailwave_cpu::atomic_exchange(address, value))
TAILWAVE_ATOMIC(atomicInc, unsigned,
                tailwave_cpu::atomic_update(address, [value](unsigned x) { return x >= value ? 0u : x + 1; }))
TAILWAVE_ATOMIC(atomicDec, unsigned, tailwave_cpu::atomic_update(address, [value](unsigned x) {
                  return x == 0 || x > value ? value : x - 1;
                }))
TAILWAVE_ATOMIC_BITS(int)
TAILWAVE_ATOMIC_BITS(unsigned)
TAILWAVE_ATOMIC_BITS(unsigned long long)
TAILWAVE_ATOMIC_CAS(unsigned short)
TAILWAVE_ATOMIC_EXTREMA(int)
TAILWAVE_ATOMIC_EXTREMA(unsigned)
TAILWAVE_ATOMIC_EXTREMA(long long)
TAILWAVE_ATOMIC_EXTREMA(unsigned long long)

#undef TAILWAVE_ATOMIC_EXTREMA
#undef TAILWAVE_ATOMIC_BITS
#undef TAILWAVE_ATOMIC_CAS
#undef TAILWAVE_ATOMIC
