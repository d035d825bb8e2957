#pragma once

// The start for host variants; jacobi.cuh has it for kernels, README.md says why it is as it is.

#include <cstdlib>

extern "C" void set_start(float* f_old, int n, int spacing) {
  for (int i = 0; i < n; ++i) {
    const int bump = f_old[i] * static_cast<float>(spacing) < 1.0f ? 1 : 0;
    f_old[i] = static_cast<float>(std::abs(i % 8388608 - 4194304) + bump);
  }
}
