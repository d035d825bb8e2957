// The product in float64, on all cores.
#include <algorithm>
#include <thread>
#include <vector>

extern "C" void reference(float* C, const float* A, const float* B, int M, int N, int K) {
  constexpr int kRows = 4;
  const int bands = (M + kRows - 1) / kRows;
  const int threads =
      std::max(1, std::min<int>(bands, static_cast<int>(std::thread::hardware_concurrency())));
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([=] {
      std::vector<double> sums(static_cast<long>(kRows) * N);
      for (int band = t; band < bands; band += threads) {
        std::fill(sums.begin(), sums.end(), 0.0);
        const int first = band * kRows;
        const int rows = std::min(kRows, M - first);
        for (int k = 0; k < K; ++k) {
          const float* right = B + static_cast<long>(k) * N;
          for (int r = 0; r < rows; ++r) {
            const double left = A[static_cast<long>(first + r) * K + k];
            double* sum = sums.data() + static_cast<long>(r) * N;
            for (int j = 0; j < N; ++j) sum[j] += left * right[j];
          }
        }
        for (int r = 0; r < rows; ++r) {
          for (int j = 0; j < N; ++j)
            C[static_cast<long>(first + r) * N + j] = static_cast<float>(sums[static_cast<long>(r) * N + j]);
        }
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
}
