// The reference: each row in float64, the rows shared out among the cores.

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "elements.h"

namespace {

template <class T>
struct Norm {
  T* out;
  const T *in, *gamma, *beta;
  long columns;
  double epsilon;

  void row(long r) const {
    const T* const x = in + r * columns;
    double sum = 0;
    for (long i = 0; i < columns; ++i) sum += as_double(x[i]);
    const double mean = sum / static_cast<double>(columns);
    double squares = 0;
    for (long i = 0; i < columns; ++i) squares += (as_double(x[i]) - mean) * (as_double(x[i]) - mean);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
    for (long i = 0; i < columns; ++i)
      store((as_double(x[i]) - mean) * scale * as_double(gamma[i]) + as_double(beta[i]),
            out[r * columns + i]);
  }
};

template <class T>
void layer_norm(const Norm<T>& norm, long rows) {
  const long cores = std::max(1L, std::min(rows, static_cast<long>(std::thread::hardware_concurrency())));
  std::vector<std::thread> threads;
  for (long core = 0; core < cores; ++core)
    threads.emplace_back([=] {
      for (long r = rows * core / cores; r < rows * (core + 1) / cores; ++r) norm.row(r);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

extern "C" void layer_norm_float(float* out, const float* in, const float* gamma, const float* beta, int rows,
                                 int columns, float epsilon) {
  layer_norm(Norm<float>{out, in, gamma, beta, columns, epsilon}, rows);
}

extern "C" void layer_norm_half(half* out, const half* in, const half* gamma, const half* beta, int rows,
                                int columns, float epsilon) {
  layer_norm(Norm<half>{out, in, gamma, beta, columns, epsilon}, rows);
}
