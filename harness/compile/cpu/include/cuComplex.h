#pragma once

// Complex numbers of C. As on a GPU, no NaN is repaired, and divisor and absolute value are scaled.

#include "tailwave_cuda.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#define TAILWAVE_COMPLEX(Complex, Real, end)                                 \
  inline Complex make_##Complex(Real x, Real y) {                            \
    return {x, y};                                                           \
  }                                                                          \
  inline Real cuCreal##end(Complex x) {                                      \
    return x.x;                                                              \
  }                                                                          \
  inline Real cuCimag##end(Complex x) {                                      \
    return x.y;                                                              \
  }                                                                          \
  inline Complex cuConj##end(Complex x) {                                    \
    return {x.x, -x.y};                                                      \
  }                                                                          \
  inline Complex cuCadd##end(Complex x, Complex y) {                         \
    return {x.x + y.x, x.y + y.y};                                           \
  }                                                                          \
  inline Complex cuCsub##end(Complex x, Complex y) {                         \
    return {x.x - y.x, x.y - y.y};                                           \
  }                                                                          \
  inline Complex cuCmul##end(Complex x, Complex y) {                         \
    return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                   \
  }                                                                          \
  inline Complex cuCdiv##end(Complex x, Complex y) {                         \
    const Real scale = Real(1) / (fabs(y.x) + fabs(y.y));                    \
    const Complex a{x.x * scale, x.y * scale}, b{y.x * scale, y.y * scale};  \
    const Real size = Real(1) / (b.x * b.x + b.y * b.y);                     \
    return {(a.x * b.x + a.y * b.y) * size, (a.y * b.x - a.x * b.y) * size}; \
  }                                                                          \
  inline Real cuCabs##end(Complex x) {                                       \
    return hypot(x.x, x.y);                                                  \
  }                                                                          \
  inline Complex cuCfma##end(Complex x, Complex y, Complex z) {              \
    return {x.x * y.x + z.x - x.y * y.y, x.x * y.y + z.y + x.y * y.x};       \
  }
TAILWAVE_COMPLEX(cuFloatComplex, float, f)
TAILWAVE_COMPLEX(cuDoubleComplex, double, )
#undef TAILWAVE_COMPLEX

inline cuComplex make_cuComplex(float x, float y) {
  return {x, y};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
  return {x.x, x.y};
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
