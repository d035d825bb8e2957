// The reference: each row in float64, the rows shared out among the cores.

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "elements.h"

namespace {

template <class T>
void softmax_row(T* out, const T* in, long columns) {
  double largest = as_double(in[0]);
  for (long i = 1; i < columns; ++i) largest = std::max(largest, as_double(in[i]));
  double sum = 0;
  for (long i = 0; i < columns; ++i) sum += std::exp(as_double(in[i]) - largest);
  for (long i = 0; i < columns; ++i) store(std::exp(as_double(in[i]) - largest) / sum, out[i]);
}

template <class T>
void softmax(T* out, const T* in, long rows, long columns) {
  const long cores = std::max(1L, std::min(rows, static_cast<long>(std::thread::hardware_concurrency())));
  std::vector<std::thread> threads;
  for (long core = 0; core < cores; ++core)
    threads.emplace_back([=] {
      for (long r = rows * core / cores; r < rows * (core + 1) / cores; ++r)
        softmax_row(out + r * columns, in + r * columns, columns);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

extern "C" void softmax_float(float* out, const float* in, int rows, int columns) {
  softmax(out, in, rows, columns);
}

extern "C" void softmax_half(half* out, const half* in, int rows, int columns) {
  softmax(out, in, rows, columns);
}
