// One Jacobi iteration on one core in float32, as plain as it gets.

#include "start.h"

namespace {

// So many squares are summed on their own: one float32 sum of millions of them would lose digits.
constexpr int kChunk = 1024;

}  // namespace

extern "C" void step(const float* f_old, float* f, float* sum, int n) {
  float total = 0;
  for (int start = 0; start < n; start += kChunk) {
    float chunk = 0;
    for (int i = start; i < start + kChunk && i < n; ++i) {
      const bool is_end = i == 0 || i == n - 1;
      f[i] = is_end ? f_old[i] : 0.5f * (f_old[i - 1] + f_old[i + 1]);
      chunk += (f[i] - f_old[i]) * (f[i] - f_old[i]);
    }
    total += chunk;
  }
  *sum = total;
}

extern "C" void record(const float* sum, float* errors, float* printed_errors, int* iterations, int iteration,
                       int n) {
  const float error = std::sqrt(*sum / static_cast<float>(n));
  if (iteration < kMostErrors) errors[iteration] = error;
  if (iteration % kPrintedEvery == 0 && iteration / kPrintedEvery < kPrintedErrors)
    printed_errors[iteration / kPrintedEvery] = error;
  *iterations = iteration + 1;
}
