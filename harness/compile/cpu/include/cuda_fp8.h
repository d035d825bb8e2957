#pragma once

// float8_e4m3 and float8_e5m2, alone and packed in twos and fours, for the CPU device and for host variants.

#include "cuda_bf16.h"
#include "cuda_fp16.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                 __nv_fp8_interpretation_t kind) {
  const unsigned sign = signbit(x) ? 0x80 : 0;
  // What rounds to more than the largest number: 448, with infinity instead of the next one; 57344.
  const bool beyond =
      fabs(x) > (kind == __NV_E4M3 ? 464.0 : 61440.0) || (kind == __NV_E5M2 && fabs(x) == 61440.0);
  if (!(x == x)) return 0x7f;
  if (beyond && saturation == __NV_NOSAT)
    return static_cast<__nv_fp8_storage_t>(sign | (kind == __NV_E4M3 ? 0x7f : 0x7c));
  return kind == __NV_E4M3 ? ::tailwave::Float8E4M3(x).bits : ::tailwave::Float8E5M2(x).bits;
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8(x, saturation, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                  __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half(x), saturation, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__nv_bfloat16(x), saturation, kind);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind) {
  ::tailwave::Float8E4M3 narrow;
  ::tailwave::Float8E5M2 wide;
  narrow.bits = wide.bits = bits;
  return __half(kind == __NV_E4M3 ? static_cast<float>(narrow) : static_cast<float>(wide));
}

// Two: the first in the lower byte.
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_halfraw_to_fp8({x.x}, saturation, kind) |
                                           __nv_cvt_halfraw_to_fp8({x.y}, saturation, kind) << 8);
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_bfloat16raw_to_fp8({x.x}, saturation, kind) |
                                           __nv_cvt_bfloat16raw_to_fp8({x.y}, saturation, kind) << 8);
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t bits, __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits), kind).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits >> 8), kind).x};
}
#ifdef TAILWAVE_CPU
inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(x.x, saturation, kind) |
                                           __nv_cvt_double_to_fp8(x.y, saturation, kind) << 8);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double2_to_fp8x2({x.x, x.y}, saturation, kind);
}
#endif

// A type of 8 bits computes nothing: it is converted, to the nearest, and to its largest number beyond that.
#define TAILWAVE_FP8_TYPE(name, kind)                                                             \
  struct name {                                                                                   \
    __nv_fp8_storage_t __x;                                                                       \
    name() = default;                                                                             \
    explicit name(double value) : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, kind)) {}     \
    template <class T, class = std::enable_if_t<std::is_convertible<T, float>::value>>            \
    explicit name(T value) : name(static_cast<double>(value)) {}                                  \
    explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); }               \
    explicit operator __nv_bfloat16() const { return float(*this); }                              \
    explicit operator float() const { return float(__half(__nv_cvt_fp8_to_halfraw(__x, kind))); } \
    explicit operator double() const { return float(*this); }                                     \
  };
TAILWAVE_FP8_TYPE(__nv_fp8_e4m3, __NV_E4M3)
TAILWAVE_FP8_TYPE(__nv_fp8_e5m2, __NV_E5M2)
#undef TAILWAVE_FP8_TYPE

#ifdef TAILWAVE_CPU
#define TAILWAVE_FP8_PACKS(suffix, kind)                                                                  \
  struct __nv_fp8x2_##suffix {                                                                            \
    __nv_fp8x2_storage_t __x;                                                                             \
    __nv_fp8x2_##suffix() = default;                                                                      \
    explicit __nv_fp8x2_##suffix(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}  \
    explicit __nv_fp8x2_##suffix(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}    \
    explicit __nv_fp8x2_##suffix(__half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, kind)) {} \
    explicit __nv_fp8x2_##suffix(__nv_bfloat162 x)                                                        \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                                 \
    explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }                   \
    explicit operator float2() const { return __half22float2(__half2(*this)); }                           \
  };                                                                                                      \
  struct __nv_fp8x4_##suffix {                                                                            \
    __nv_fp8x4_storage_t __x;                                                                             \
    __nv_fp8x4_##suffix() = default;                                                                      \
    __nv_fp8x4_##suffix(__nv_fp8x2_##suffix low, __nv_fp8x2_##suffix high)                                \
        : __x(static_cast<unsigned>(low.__x) | static_cast<unsigned>(high.__x) << 16) {}                  \
    explicit __nv_fp8x4_##suffix(float4 x)                                                                \
        : __nv_fp8x4_                                                                                     \
          ##suffix(__nv_fp8x2_##suffix(float2{x.x, x.y}), __nv_fp8x2_##suffix(float2{x.z, x.w})) {}       \
    explicit __nv_fp8x4_##suffix(double4 x)                                                               \
        : __nv_fp8x4_                                                                                     \
          ##suffix(__nv_fp8x2_##suffix(double2{x.x, x.y}), __nv_fp8x2_##suffix(double2{x.z, x.w})) {}     \
    __nv_fp8x4_##suffix(__half2 low, __half2 high)                                                        \
        : __nv_fp8x4_##suffix(__nv_fp8x2_##suffix(low), __nv_fp8x2_##suffix(high)) {}                     \
    __nv_fp8x4_##suffix(__nv_bfloat162 low, __nv_bfloat162 high)                                          \
        : __nv_fp8x4_##suffix(__nv_fp8x2_##suffix(low), __nv_fp8x2_##suffix(high)) {}                     \
    explicit operator float4() const {                                                                    \
      __nv_fp8x2_##suffix low, high;                                                                      \
      low.__x = static_cast<__nv_fp8x2_storage_t>(__x);                                                   \
      high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);                                            \
      const float2 first = float2(low), second = float2(high);                                            \
      return {first.x, first.y, second.x, second.y};                                                      \
    }                                                                                                     \
  };
TAILWAVE_FP8_PACKS(e4m3, __NV_E4M3)
TAILWAVE_FP8_PACKS(e5m2, __NV_E5M2)
#undef TAILWAVE_FP8_PACKS
#endif
