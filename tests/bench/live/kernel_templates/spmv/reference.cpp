// y = A x in float64.
#include <algorithm>
#include <thread>
#include <vector>

extern "C" void reference(float* y, const int* row_start, const int* columns, const float* values,
                          const float* x, int ROWS) {
  const int threads = std::max(1, std::min<int>(ROWS, static_cast<int>(std::thread::hardware_concurrency())));
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([=] {
      for (int row = t; row < ROWS; row += threads) {
        double sum = 0;
        for (int i = row_start[row]; i < row_start[row + 1]; ++i)
          sum += static_cast<double>(values[i]) * x[columns[i]];
        y[row] = static_cast<float>(sum);
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
}
