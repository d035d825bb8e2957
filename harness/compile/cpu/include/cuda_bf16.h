#pragma once

// bfloat16 for the CPU device and for host variants.

#include "tailwave_small_floats.h"

TAILWAVE_SMALL_TYPE(__nv_bfloat16, BFloat16)
TAILWAVE_SMALL_CONVERSIONS(__nv_bfloat16, bfloat16)
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
  return a.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
  return a.y;
}
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
  return {a.x, a.x};
}
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
  return {a.y, a.y};
}
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}
#ifdef TAILWAVE_CPU
inline float2 __bfloat1622float2(__nv_bfloat162 a) {
  return {a.x, a.y};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return {a.x, a.y};
}
TAILWAVE_SMALL_ATOMICS(__nv_bfloat16)
#endif
