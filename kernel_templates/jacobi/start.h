#pragma once

// Both starts for host variants; jacobi.cuh has them for kernels, README.md says why they are as they are.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "errors.h"

extern "C" void set_start(float* f_old, int n, int spacing) {
  for (int i = 0; i < n; ++i) {
    const int bump = f_old[i] * static_cast<float>(spacing) < 1.0f ? 1 : 0;
    f_old[i] = static_cast<float>(std::abs(i % 8388608 - 4194304) + bump);
  }
}

extern "C" void begin(float* f_old, float* errors, float* printed_errors, int* iterations, int n) {
  std::fill(f_old, f_old + n, 0.0f);
  f_old[n - 1] = 10.0f;
  f_old[0] = 5.0f;
  std::fill(errors, errors + kMostErrors, 0.0f);
  std::fill(printed_errors, printed_errors + kPrintedErrors, 0.0f);
  *iterations = 0;
}
