#pragma once

// float and half as float64. softmax and layer_norm have the same file.

#include <cuda_fp16.h>

inline double as_double(float value) {
  return value;
}
inline double as_double(half value) {
  return __half2float(value);
}
inline void store(double value, float& result) {
  result = static_cast<float>(value);
}
inline void store(double value, half& result) {
  result = __double2half(value);
}
