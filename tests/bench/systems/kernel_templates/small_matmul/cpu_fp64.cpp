// The products in float64 on all cores: the reference. With c cores, each takes every c-th pair of matrices; what is
// stored is float32, rounded once.

#include <cstddef>
#include <thread>
#include <vector>

namespace {

void multiply_one(const float* a, const float* b, float* product, std::size_t size,
                  std::vector<double>& sums) {
  for (std::size_t row = 0; row < size; ++row) {
    sums.assign(size, 0.0);
    for (std::size_t k = 0; k < size; ++k) {
      const double factor = a[row * size + k];
      for (std::size_t column = 0; column < size; ++column) sums[column] += factor * b[k * size + column];
    }
    for (std::size_t column = 0; column < size; ++column)
      product[row * size + column] = static_cast<float>(sums[column]);
  }
}

}  // namespace

extern "C" void multiply(const float* a, const float* b, float* product, int size, int batch) {
  const auto n = static_cast<std::size_t>(size);
  const auto matrices = static_cast<std::size_t>(batch);
  const unsigned cores = std::thread::hardware_concurrency();
  const unsigned threads = cores > 0 ? cores : 1;
  const auto work = [&](unsigned thread) {
    std::vector<double> sums;
    for (std::size_t matrix = thread; matrix < matrices; matrix += threads) {
      const std::size_t begin = matrix * n * n;
      multiply_one(a + begin, b + begin, product + begin, n, sums);
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
  for (std::thread& helper : helpers) helper.join();
}
