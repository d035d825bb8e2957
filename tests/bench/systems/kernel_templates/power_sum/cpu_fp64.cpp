// In float64 on all cores: the reference.

#include <cstddef>
#include <thread>
#include <vector>

extern "C" void power_sum(const float* x, float* y, int n, int terms) {
  const unsigned cores = std::thread::hardware_concurrency();
  const std::size_t threads = cores > 0 ? cores : 1;
  const auto size = static_cast<std::size_t>(n);
  const auto work = [&](std::size_t thread) {
    for (std::size_t i = size * thread / threads; i < size * (thread + 1) / threads; ++i) {
      const double value = x[i];
      double sum = 0;
      for (int term = 0; term < terms; ++term) sum = sum * value + value;
      y[i] = static_cast<float>(sum);
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
  for (std::thread& helper : helpers) helper.join();
}
