// The histogram on all cores: the reference. Each core counts one stretch of the values; the sums are taken in order.

#include <array>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

using Counts = std::array<unsigned, 256>;

Counts counts_of(const unsigned* begin, const unsigned* end) {
  Counts counts{};
  for (const unsigned* value = begin; value != end; ++value) ++counts[*value % counts.size()];
  return counts;
}

}  // namespace

extern "C" void count(const unsigned* values, unsigned* counts, int n) {
  const unsigned cores = std::thread::hardware_concurrency();
  const std::size_t threads = cores > 0 ? cores : 1;
  const auto size = static_cast<std::size_t>(n);
  std::vector<Counts> parts(threads);
  const auto work = [&](std::size_t thread) {
    parts[thread] = counts_of(values + size * thread / threads, values + size * (thread + 1) / threads);
  };
  std::vector<std::thread> helpers;
  for (std::size_t thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
  for (std::thread& helper : helpers) helper.join();
  for (std::size_t bin = 0; bin < Counts().size(); ++bin) {
    counts[bin] = 0;
    for (const Counts& part : parts) counts[bin] += part[bin];
  }
}
