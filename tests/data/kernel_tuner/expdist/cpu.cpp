#include <cmath>

extern "C" void cost_of(const double* a, const double* b, const double* scale_a, const double* scale_b,
                        double* cost, int size) {
  *cost = 0;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      const double dx = a[i] - b[j], dy = a[size + i] - b[size + j];
      *cost += std::exp(-(dx * dx + dy * dy) / (scale_a[i] + scale_b[j]));
    }
}
