#pragma once

// Math intrinsics: fast ones (__sinf, ...), which are the accurate functions and which --use_fast_math then lets the
// host compiler approximate; arithmetic and conversions with a rounding mode.

#include "math.h"
#include "math_extra.h"

inline float __saturatef(float x) {
  return saturate(x);
}

inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return powf(10.0f, x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __frsqrt_rn(float x) {
  return 1.0f / sqrtf(x);
}

// Rounding: to nearest whatever the suffix says, except where it decides an integer.
#define TAILWAVE_ROUNDED(suffix)                               \
  inline float __fadd_##suffix(float x, float y) {             \
    return x + y;                                              \
  }                                                            \
  inline float __fsub_##suffix(float x, float y) {             \
    return x - y;                                              \
  }                                                            \
  inline float __fmul_##suffix(float x, float y) {             \
    return tailwave_cpu::alone(x * y);                         \
  }                                                            \
  inline float __fdiv_##suffix(float x, float y) {             \
    return x / y;                                              \
  }                                                            \
  inline float __frcp_##suffix(float x) {                      \
    return 1.0f / x;                                           \
  }                                                            \
  inline float __fsqrt_##suffix(float x) {                     \
    return sqrtf(x);                                           \
  }                                                            \
  inline float __fmaf_##suffix(float x, float y, float z) {    \
    return fmaf(x, y, z);                                      \
  }                                                            \
  inline double __dadd_##suffix(double x, double y) {          \
    return x + y;                                              \
  }                                                            \
  inline double __dsub_##suffix(double x, double y) {          \
    return x - y;                                              \
  }                                                            \
  inline double __dmul_##suffix(double x, double y) {          \
    return tailwave_cpu::alone(x * y);                         \
  }                                                            \
  inline double __ddiv_##suffix(double x, double y) {          \
    return x / y;                                              \
  }                                                            \
  inline double __drcp_##suffix(double x) {                    \
    return 1.0 / x;                                            \
  }                                                            \
  inline double __dsqrt_##suffix(double x) {                   \
    return sqrt(x);                                            \
  }                                                            \
  inline double __fma_##suffix(double x, double y, double z) { \
    return fma(x, y, z);                                       \
  }
namespace tailwave_cpu {
// Keeps a product from being contracted into a fused multiply-add.
template <class T>
inline T alone(T product) {
#if defined(__x86_64__)
  __asm__("" : "+x"(product));
#elif defined(__aarch64__)
  __asm__("" : "+w"(product));
#endif
  return product;
}
}  // namespace tailwave_cpu
TAILWAVE_ROUNDED(rn)
TAILWAVE_ROUNDED(rz)
TAILWAVE_ROUNDED(ru)
TAILWAVE_ROUNDED(rd)
#undef TAILWAVE_ROUNDED

#define TAILWAVE_CONVERSIONS(From, from)       \
  inline int __##from##2int_rn(From x) {       \
    return static_cast<int>(rint(x));          \
  }                                            \
  inline int __##from##2int_rz(From x) {       \
    return static_cast<int>(x);                \
  }                                            \
  inline int __##from##2int_ru(From x) {       \
    return static_cast<int>(ceil(x));          \
  }                                            \
  inline int __##from##2int_rd(From x) {       \
    return static_cast<int>(floor(x));         \
  }                                            \
  inline unsigned __##from##2uint_rn(From x) { \
    return static_cast<unsigned>(rint(x));     \
  }                                            \
  inline unsigned __##from##2uint_rz(From x) { \
    return static_cast<unsigned>(x);           \
  }                                            \
  inline unsigned __##from##2uint_ru(From x) { \
    return static_cast<unsigned>(ceil(x));     \
  }                                            \
  inline unsigned __##from##2uint_rd(From x) { \
    return static_cast<unsigned>(floor(x));    \
  }                                            \
  inline long long __##from##2ll_rn(From x) {  \
    return static_cast<long long>(rint(x));    \
  }                                            \
  inline long long __##from##2ll_rz(From x) {  \
    return static_cast<long long>(x);          \
  }
TAILWAVE_CONVERSIONS(float, float)
TAILWAVE_CONVERSIONS(double, double)
#undef TAILWAVE_CONVERSIONS
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned x) {
  return x;
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
