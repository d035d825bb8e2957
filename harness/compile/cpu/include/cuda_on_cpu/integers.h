#pragma once

// Integer intrinsics and bit casts.

#include <stdint.h>
#include <string.h>

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}

inline unsigned __brev(unsigned x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return (static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32) |
         __brev(static_cast<unsigned>(x >> 32));
}

// Selects four of the eight bytes of (y, x), one a nibble of `selector`; the sign-replicating modes of PTX's prmt
// included.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t bytes = (static_cast<uint64_t>(y) << 32) | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned mode = (selector >> (4 * i)) & 0xfu;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (mode & 7u))) & 0xffu;
    if (mode & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((((static_cast<uint64_t>(high) << 32) | low) << (shift & 31u)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<uint64_t>(high) << 32) | low) >> (shift & 31u));
}

// With the shift clamped to 32 instead of taken modulo 32.
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// Averages: rounded down, and (r) up.
inline int __hadd(int a, int b) {
  return static_cast<int>((static_cast<int64_t>(a) + b) >> 1);
}
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<int64_t>(a) + b + 1) >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<uint64_t>(a) + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<uint64_t>(a) + b + 1) >> 1);
}

inline int __mulhi(int a, int b) {
  return static_cast<int>((static_cast<int64_t>(a) * b) >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<uint64_t>(a) * b) >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline int __mul24(int a, int b) {
  const auto low24 = [](int x) { return static_cast<int>(static_cast<unsigned>(x) << 8) >> 8; };
  return static_cast<int>(static_cast<int64_t>(low24(a)) * low24(b));
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
inline unsigned __sad(int a, int b, unsigned c) {
  return c + static_cast<unsigned>(a < b ? static_cast<int64_t>(b) - a : static_cast<int64_t>(a) - b);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}

namespace tailwave_cpu {
template <class To, class From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace tailwave_cpu

inline int __float_as_int(float x) {
  return tailwave_cpu::bits_as<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return tailwave_cpu::bits_as<unsigned>(x);
}
inline float __int_as_float(int x) {
  return tailwave_cpu::bits_as<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return tailwave_cpu::bits_as<float>(x);
}
inline long long __double_as_longlong(double x) {
  return tailwave_cpu::bits_as<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return tailwave_cpu::bits_as<double>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      (static_cast<uint64_t>(static_cast<unsigned>(high)) << 32) | static_cast<unsigned>(low)));
}

// Loads and stores with cache hints are plain ones.
#define TAILWAVE_LOAD(name)         \
  template <class T>                \
  inline T name(const T* address) { \
    return *address;                \
  }
TAILWAVE_LOAD(__ldg)
TAILWAVE_LOAD(__ldca)
TAILWAVE_LOAD(__ldcg)
TAILWAVE_LOAD(__ldcs)
TAILWAVE_LOAD(__ldcv)
TAILWAVE_LOAD(__ldlu)
#undef TAILWAVE_LOAD

#define TAILWAVE_STORE(name)              \
  template <class T>                      \
  inline void name(T* address, T value) { \
    *address = value;                     \
  }
TAILWAVE_STORE(__stcg)
TAILWAVE_STORE(__stcs)
TAILWAVE_STORE(__stwb)
TAILWAVE_STORE(__stwt)
#undef TAILWAVE_STORE
