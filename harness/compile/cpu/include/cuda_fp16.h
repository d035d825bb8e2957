#pragma once

// float16 for the CPU device and for host variants.

#include "tailwave_small_floats.h"

TAILWAVE_SMALL_TYPE(__half, Float16)
TAILWAVE_SMALL_CONVERSIONS(__half, half)
using half = __half;
using half2 = __half2;

inline __half2 make_half2(__half x, __half y) {
  return {x, y};
}
inline __half __low2half(__half2 a) {
  return a.x;
}
inline __half __high2half(__half2 a) {
  return a.y;
}
inline __half2 __low2half2(__half2 a) {
  return {a.x, a.x};
}
inline __half2 __high2half2(__half2 a) {
  return {a.y, a.y};
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
  return {a.x, b.x};
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
  return {a.y, b.y};
}
#ifdef TAILWAVE_CPU
inline float2 __half22float2(__half2 a) {
  return {a.x, a.y};
}
inline __half2 __float22half2_rn(float2 a) {
  return {a.x, a.y};
}
TAILWAVE_SMALL_ATOMICS(__half)
#endif
