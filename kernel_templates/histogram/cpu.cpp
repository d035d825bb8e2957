// The reference: a histogram of its own for each core.

#include <algorithm>
#include <thread>
#include <vector>

extern "C" void histogram(unsigned* counts, const unsigned* keys, int n, int bins) {
  const long count = n;
  const long cores = std::max(1L, std::min(count, static_cast<long>(std::thread::hardware_concurrency())));
  std::vector<std::vector<unsigned>> parts(static_cast<size_t>(cores));
  std::vector<std::thread> threads;
  for (long core = 0; core < cores; ++core)
    threads.emplace_back([&, core] {
      std::vector<unsigned> part(static_cast<size_t>(bins), 0u);
      for (long i = count * core / cores; i < count * (core + 1) / cores; ++i)
        ++part[keys[i] % static_cast<unsigned>(bins)];
      parts[static_cast<size_t>(core)] = std::move(part);
    });
  for (std::thread& thread : threads) thread.join();
  for (int bin = 0; bin < bins; ++bin) {
    counts[bin] = 0;
    for (const std::vector<unsigned>& part : parts) counts[bin] += part[static_cast<size_t>(bin)];
  }
}
