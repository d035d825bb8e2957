#pragma once

// Math intrinsics: fast ones (__sinf, ...), which are the accurate functions and which --use_fast_math then lets the
// host compiler approximate; arithmetic and conversions with a rounding mode.

#include <fenv.h>

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
inline float __tanhf(float x) {
  return tanhf(x);
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

// What a value is made of stays before this place in the code, what is made of it behind: where the rounding mode
// changes.
template <class T>
inline T here(T value) {
  __asm__ volatile("" : "+m"(value) : : "memory");
  return value;
}

// What `operation` makes of the values in one of the processor's rounding modes.
template <int mode, class Operation, class... T>
inline auto in_mode(Operation operation, T... values) {
  if constexpr (mode == FE_TONEAREST) {
    return operation(values...);
  } else {
    ((values = here(values)), ...);
    fesetround(mode);
    const auto result = here(operation(here(values)...));
    fesetround(FE_TONEAREST);
    return result;
  }
}

}  // namespace tailwave_cpu

#define TAILWAVE_ROUNDED(suffix, mode)                                                                       \
  inline float __fadd_##suffix(float x, float y) {                                                           \
    return tailwave_cpu::in_mode<mode>([](float a, float b) { return a + b; }, x, y);                        \
  }                                                                                                          \
  inline float __fsub_##suffix(float x, float y) {                                                           \
    return tailwave_cpu::in_mode<mode>([](float a, float b) { return a - b; }, x, y);                        \
  }                                                                                                          \
  inline float __fmul_##suffix(float x, float y) {                                                           \
    return tailwave_cpu::in_mode<mode>([](float a, float b) { return tailwave_cpu::alone(a * b); }, x, y);   \
  }                                                                                                          \
  inline float __fdiv_##suffix(float x, float y) {                                                           \
    return tailwave_cpu::in_mode<mode>([](float a, float b) { return a / b; }, x, y);                        \
  }                                                                                                          \
  inline float __frcp_##suffix(float x) {                                                                    \
    return __fdiv_##suffix(1.0f, x);                                                                         \
  }                                                                                                          \
  inline float __fsqrt_##suffix(float x) {                                                                   \
    return tailwave_cpu::in_mode<mode>([](float a) { return __builtin_sqrtf(a); }, x);                       \
  }                                                                                                          \
  inline float __fmaf_##suffix(float x, float y, float z) {                                                  \
    return tailwave_cpu::in_mode<mode>([](float a, float b, float c) { return fmaf(a, b, c); }, x, y, z);    \
  }                                                                                                          \
  inline double __dadd_##suffix(double x, double y) {                                                        \
    return tailwave_cpu::in_mode<mode>([](double a, double b) { return a + b; }, x, y);                      \
  }                                                                                                          \
  inline double __dsub_##suffix(double x, double y) {                                                        \
    return tailwave_cpu::in_mode<mode>([](double a, double b) { return a - b; }, x, y);                      \
  }                                                                                                          \
  inline double __dmul_##suffix(double x, double y) {                                                        \
    return tailwave_cpu::in_mode<mode>([](double a, double b) { return tailwave_cpu::alone(a * b); }, x, y); \
  }                                                                                                          \
  inline double __ddiv_##suffix(double x, double y) {                                                        \
    return tailwave_cpu::in_mode<mode>([](double a, double b) { return a / b; }, x, y);                      \
  }                                                                                                          \
  inline double __drcp_##suffix(double x) {                                                                  \
    return __ddiv_##suffix(1.0, x);                                                                          \
  }                                                                                                          \
  inline double __dsqrt_##suffix(double x) {                                                                 \
    return tailwave_cpu::in_mode<mode>([](double a) { return __builtin_sqrt(a); }, x);                       \
  }                                                                                                          \
  inline double __fma_##suffix(double x, double y, double z) {                                               \
    return tailwave_cpu::in_mode<mode>([](double a, double b, double c) { return fma(a, b, c); }, x, y, z);  \
  }                                                                                                          \
  inline float __double2float_##suffix(double x) {                                                           \
    return tailwave_cpu::in_mode<mode>([](double a) { return static_cast<float>(a); }, x);                   \
  }                                                                                                          \
  TAILWAVE_FROM_INTEGER(int, int, suffix, mode)                                                              \
  TAILWAVE_FROM_INTEGER(unsigned, uint, suffix, mode)                                                        \
  TAILWAVE_FROM_INTEGER(long long, ll, suffix, mode)                                                         \
  TAILWAVE_FROM_INTEGER(unsigned long long, ull, suffix, mode)
#define TAILWAVE_FROM_INTEGER(From, from, suffix, mode)                                   \
  inline float __##from##2float_##suffix(From x) {                                        \
    return tailwave_cpu::in_mode<mode>([](From a) { return static_cast<float>(a); }, x);  \
  }                                                                                       \
  inline double __##from##2double_##suffix(From x) {                                      \
    return tailwave_cpu::in_mode<mode>([](From a) { return static_cast<double>(a); }, x); \
  }
TAILWAVE_ROUNDED(rn, FE_TONEAREST)
TAILWAVE_ROUNDED(rz, FE_TOWARDZERO)
TAILWAVE_ROUNDED(ru, FE_UPWARD)
TAILWAVE_ROUNDED(rd, FE_DOWNWARD)
#undef TAILWAVE_FROM_INTEGER
#undef TAILWAVE_ROUNDED

#define TAILWAVE_TO_INTEGER(From, from, To, to)    \
  inline To __##from##2##to##_rn(From x) {         \
    return tailwave_cpu::nearest_in<To>(rint(x));  \
  }                                                \
  inline To __##from##2##to##_rz(From x) {         \
    return tailwave_cpu::nearest_in<To>(x);        \
  }                                                \
  inline To __##from##2##to##_ru(From x) {         \
    return tailwave_cpu::nearest_in<To>(ceil(x));  \
  }                                                \
  inline To __##from##2##to##_rd(From x) {         \
    return tailwave_cpu::nearest_in<To>(floor(x)); \
  }
#define TAILWAVE_TO_INTEGERS(From)                \
  TAILWAVE_TO_INTEGER(From, From, int, int)       \
  TAILWAVE_TO_INTEGER(From, From, unsigned, uint) \
  TAILWAVE_TO_INTEGER(From, From, long long, ll)  \
  TAILWAVE_TO_INTEGER(From, From, unsigned long long, ull)
TAILWAVE_TO_INTEGERS(float)
TAILWAVE_TO_INTEGERS(double)
#undef TAILWAVE_TO_INTEGERS
#undef TAILWAVE_TO_INTEGER
