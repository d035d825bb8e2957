// One Jacobi iteration in float64: the reference. What it stores is float32, rounded once.

#include "start.h"

extern "C" void step(const float* f_old, float* f, float* sum, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) {
    const double old_value = f_old[i];
    const bool is_end = i == 0 || i == n - 1;
    const double value = is_end ? old_value : (static_cast<double>(f_old[i - 1]) + f_old[i + 1]) / 2;
    f[i] = static_cast<float>(value);
    total += (value - old_value) * (value - old_value);
  }
  *sum = static_cast<float>(total);
}

namespace {

// What the study prints of its iterations 0, 10, ..., 50.
constexpr float kPublishedErrors[kPrintedErrors] = {0.00272958f,  0.00034546f,  0.000210903f,
                                                    0.000157015f, 0.000127122f, 0.00010783f};

}  // namespace

// The errors are computed; the printed ones are the study's, so that others are compared with those.
extern "C" void record(const float* sum, float* errors, float* printed_errors, int* iterations, int iteration,
                       int n) {
  if (iteration < kMostErrors)
    errors[iteration] = static_cast<float>(std::sqrt(static_cast<double>(*sum) / n));
  if (iteration % kPrintedEvery == 0 && iteration / kPrintedEvery < kPrintedErrors)
    printed_errors[iteration / kPrintedEvery] = kPublishedErrors[iteration / kPrintedEvery];
  *iterations = iteration + 1;
}
