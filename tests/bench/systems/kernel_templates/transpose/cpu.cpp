// The transpose on all cores: the reference. A tile of 64 * 64 elements stays in the first cache while it is turned.

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

extern "C" void transpose(const float* matrix, float* transposed, int count) {
  constexpr std::size_t kTile = 64;
  const auto n = static_cast<std::size_t>(count);
  const unsigned cores = std::thread::hardware_concurrency();
  const unsigned threads = cores > 0 ? cores : 1;
  const auto work = [&](unsigned thread) {
    for (std::size_t top = thread * kTile; top < n; top += threads * kTile)
      for (std::size_t left = 0; left < n; left += kTile)
        for (std::size_t x = left; x < std::min(left + kTile, n); ++x)
          for (std::size_t y = top; y < std::min(top + kTile, n); ++y)
            transposed[x * n + y] = matrix[y * n + x];
  };
  std::vector<std::thread> helpers;
  for (unsigned thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
  for (std::thread& helper : helpers) helper.join();
}
