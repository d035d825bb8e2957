// The reference knows nothing of digits: a stable merge sort by the bits that count, with a share of the keys for each core.

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

extern "C" void sort(unsigned* out, const unsigned* in, int n, int shift, int bits) {
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const auto smaller = [=](unsigned a, unsigned b) {
    return ((uint64_t{a} >> shift) & mask) < ((uint64_t{b} >> shift) & mask);
  };
  std::vector<unsigned> keys(in, in + n), merged(keys.size());
  const long count = n;
  long parts = 1;
  while (parts < static_cast<long>(std::thread::hardware_concurrency()) && parts * 2 <= count) parts *= 2;
  const auto start = [=](long part) { return count * part / parts; };
  const auto on_all = [](long many, const auto& work) {
    std::vector<std::thread> threads;
    for (long i = 0; i < many; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
  };
  on_all(parts, [&](long part) {
    std::stable_sort(keys.data() + start(part), keys.data() + start(part + 1), smaller);
  });
  for (long width = 1; width < parts; width *= 2) {
    on_all(parts / (2 * width), [&](long pair) {
      const unsigned* const first = keys.data() + start(2 * width * pair);
      const unsigned* const middle = keys.data() + start(2 * width * pair + width);
      const unsigned* const end = keys.data() + start(2 * width * (pair + 1));
      std::merge(first, middle, middle, end, merged.data() + start(2 * width * pair), smaller);
    });
    keys.swap(merged);
  }
  std::copy(keys.begin(), keys.end(), out);
}
