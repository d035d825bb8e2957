#pragma once

// Atomic functions. Real ones: blocks run on several cores. Order is relaxed, as on a GPU. All return the old
// value. The _block and _system forms are the same.

#include "integers.h"
#include "vector_types.h"

namespace tailwave_cpu {

#ifdef TAILWAVE_RACES
// ThreadSanitizer knows no fences: atomics order what is before and after them.
constexpr int kAtomicOrder = __ATOMIC_ACQ_REL, kLoadOrder = __ATOMIC_ACQUIRE;
#else
constexpr int kAtomicOrder = __ATOMIC_RELAXED, kLoadOrder = __ATOMIC_RELAXED;
#endif

// Replaces *address by change(*address) in one step.
template <class T, class Change>
inline T atomic_update(T* address, Change change) {
  T old, changed;
  __atomic_load(address, &old, kLoadOrder);
  do {
    changed = change(old);
  } while (!__atomic_compare_exchange(address, &old, &changed, true, kAtomicOrder, kLoadOrder));
  return old;
}

template <class T>
inline T atomic_min(T* address, T value) {
  T old = __atomic_load_n(address, kLoadOrder);
  while (value < old && !__atomic_compare_exchange_n(address, &old, value, true, kAtomicOrder, kLoadOrder)) {
  }
  return old;
}

template <class T>
inline T atomic_max(T* address, T value) {
  T old = __atomic_load_n(address, kLoadOrder);
  while (old < value && !__atomic_compare_exchange_n(address, &old, value, true, kAtomicOrder, kLoadOrder)) {
  }
  return old;
}

template <class T>
inline T atomic_exchange(T* address, T value) {
  T old;
  __atomic_exchange(address, &value, &old, kAtomicOrder);
  return old;
}

template <class T>
inline T atomic_compare_and_swap(T* address, T compare, T value) {
  __atomic_compare_exchange_n(address, &compare, value, false, kAtomicOrder, kLoadOrder);
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
#define TAILWAVE_ATOMIC_BITS(T)                                                                 \
  TAILWAVE_ATOMIC(atomicAnd, T, __atomic_fetch_and(address, value, tailwave_cpu::kAtomicOrder)) \
  TAILWAVE_ATOMIC(atomicOr, T, __atomic_fetch_or(address, value, tailwave_cpu::kAtomicOrder))   \
  TAILWAVE_ATOMIC(atomicXor, T, __atomic_fetch_xor(address, value, tailwave_cpu::kAtomicOrder)) \
  TAILWAVE_ATOMIC(atomicExch, T, tailwave_cpu::atomic_exchange(address, value))                 \
  TAILWAVE_ATOMIC_CAS(T)
#define TAILWAVE_ATOMIC_EXTREMA(T)                                        \
  TAILWAVE_ATOMIC(atomicMin, T, tailwave_cpu::atomic_min(address, value)) \
  TAILWAVE_ATOMIC(atomicMax, T, tailwave_cpu::atomic_max(address, value))

TAILWAVE_ATOMIC(atomicAdd, int, __atomic_fetch_add(address, value, tailwave_cpu::kAtomicOrder))
TAILWAVE_ATOMIC(atomicAdd, unsigned, __atomic_fetch_add(address, value, tailwave_cpu::kAtomicOrder))
TAILWAVE_ATOMIC(atomicAdd, unsigned long long, __atomic_fetch_add(address, value, tailwave_cpu::kAtomicOrder))
TAILWAVE_ATOMIC(atomicAdd, float,
                tailwave_cpu::atomic_update(address, [value](float x) { return x + value; }))
TAILWAVE_ATOMIC(atomicAdd, double,
                tailwave_cpu::atomic_update(address, [value](double x) { return x + value; }))
TAILWAVE_ATOMIC(atomicSub, int, __atomic_fetch_sub(address, value, tailwave_cpu::kAtomicOrder))
TAILWAVE_ATOMIC(atomicSub, unsigned, __atomic_fetch_sub(address, value, tailwave_cpu::kAtomicOrder))
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

// Of a vector each element by itself.
TAILWAVE_ATOMIC(atomicAdd, float2, {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)})
TAILWAVE_ATOMIC(atomicAdd, float4,
                {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                 atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)})

#undef TAILWAVE_ATOMIC_EXTREMA
#undef TAILWAVE_ATOMIC_BITS
#undef TAILWAVE_ATOMIC_CAS
#undef TAILWAVE_ATOMIC
