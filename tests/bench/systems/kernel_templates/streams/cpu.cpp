#include <thread>
#include <vector>

extern "C" void twice(const float* x, float* y, int n) {
  const int workers = static_cast<int>(std::thread::hardware_concurrency()) + 1;
  std::vector<std::jthread> threads;
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back([=] {
      const long first = static_cast<long>(n) * worker / workers,
                 end = static_cast<long>(n) * (worker + 1) / workers;
      for (long i = first; i < end; ++i) y[i] = 2 * x[i];
    });
}
