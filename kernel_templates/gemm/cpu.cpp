// C = A B for small sizes on one core, in float64 and with the loops in the order that reads B by rows.
#include <vector>

namespace {

template <typename Number>
void multiply(const Number* a, const Number* b, Number* c, int m, int n, int k) {
  std::vector<double> row(n);
  for (long i = 0; i < m; ++i) {
    row.assign(n, 0.0);
    for (long p = 0; p < k; ++p) {
      const double factor = static_cast<float>(a[i * k + p]);
      for (long j = 0; j < n; ++j) row[j] += factor * static_cast<float>(b[p * n + j]);
    }
    for (long j = 0; j < n; ++j) c[i * n + j] = static_cast<Number>(static_cast<float>(row[j]));
  }
}

}  // namespace

extern "C" void gemm_float(const float* a, const float* b, float* c, int m, int n, int k) {
  multiply(a, b, c, m, n, k);
}

extern "C" void gemm_half(const void* a, const void* b, void* c, int m, int n, int k) {
  multiply(static_cast<const _Float16*>(a), static_cast<const _Float16*>(b), static_cast<_Float16*>(c), m, n,
           k);
}
