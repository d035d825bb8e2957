// Attention for small sizes on one core, in float64: all scores of a query, then their softmax.
#include <algorithm>
#include <cmath>
#include <vector>

extern "C" void attention(const void* q, const void* k, const void* v, void* out, int heads, int queries,
                          int keys, int dims, int causal) {
  const auto* q_row = static_cast<const _Float16*>(q);
  auto* out_row = static_cast<_Float16*>(out);
  std::vector<double> weights(keys), result(dims);
  for (long head = 0; head < heads; ++head) {
    const auto* k_rows = static_cast<const _Float16*>(k) + head * keys * dims;
    const auto* v_rows = static_cast<const _Float16*>(v) + head * keys * dims;
    for (long query = 0; query < queries; ++query, q_row += dims, out_row += dims) {
      const long seen = causal ? query + keys - queries + 1 : keys;
      for (long key = 0; key < seen; ++key) {
        double score = 0;
        for (int d = 0; d < dims; ++d)
          score += static_cast<double>(q_row[d]) * static_cast<double>(k_rows[key * dims + d]);
        weights[key] = score / std::sqrt(static_cast<double>(dims));
      }
      const double top = *std::max_element(weights.begin(), weights.begin() + seen);
      double sum = 0;
      std::fill(result.begin(), result.end(), 0.0);
      for (long key = 0; key < seen; ++key) {
        const double weight = std::exp(weights[key] - top);
        sum += weight;
        for (int d = 0; d < dims; ++d) result[d] += weight * static_cast<double>(v_rows[key * dims + d]);
      }
      for (int d = 0; d < dims; ++d) out_row[d] = static_cast<_Float16>(static_cast<float>(result[d] / sum));
    }
  }
}
