// The reference, in float64: first the largest score of each query, then weights relative to it. A block has 8
// queries of a head; for scores a thread has a key, for the result a dimension.
#include <cuda_fp16.h>

constexpr int QUERIES = 8, THREADS = 128;

__global__ void __launch_bounds__(THREADS) attention(const half* q, const half* k, const half* v, half* out,
                                                     int queries, int keys, int dims, int causal) {
  __shared__ double query[QUERIES][128];
  __shared__ double weight[QUERIES][THREADS];
  __shared__ double top[QUERIES];
  const int thread = threadIdx.x, first_query = blockIdx.x * QUERIES;
  const long long head = blockIdx.y;
  const half* k_rows = k + head * keys * dims;
  const half* v_rows = v + head * keys * dims;
  for (int i = 0; i < QUERIES && thread < dims; ++i) {
    const long long row = head * queries + min(first_query + i, queries - 1);
    query[i][thread] = __half2float(q[row * dims + thread]);
  }
  __syncthreads();

  double result[QUERIES] = {}, sum[QUERIES] = {}, largest[QUERIES];
  for (int i = 0; i < QUERIES; ++i) largest[i] = -INFINITY;
  for (int pass = 0; pass < 2; ++pass) {
    for (int start = 0; start < keys; start += THREADS) {
      const int key = start + thread;
      double score[QUERIES] = {};
      for (int d = 0; d < dims && key < keys; ++d) {
        const double x = __half2float(k_rows[static_cast<long long>(key) * dims + d]);
        for (int i = 0; i < QUERIES; ++i) score[i] += query[i][d] * x;
      }
      for (int i = 0; i < QUERIES; ++i) {
        const bool seen = key < keys && (!causal || key <= first_query + i + keys - queries);
        const double x = score[i] / sqrt(static_cast<double>(dims));
        if (pass == 0 && seen) largest[i] = fmax(largest[i], x);
        if (pass == 1) weight[i][thread] = seen ? exp(x - top[i]) : 0;
      }
      if (pass == 0) continue;
      __syncthreads();
      for (int j = 0; j < min(THREADS, keys - start); ++j) {
        const double x =
            thread < dims ? __half2float(v_rows[static_cast<long long>(start + j) * dims + thread]) : 0;
        for (int i = 0; i < QUERIES; ++i) {
          result[i] += weight[i][j] * x;
          sum[i] += weight[i][j];
        }
      }
      __syncthreads();
    }
    if (pass == 1) break;
    for (int i = 0; i < QUERIES; ++i) weight[i][thread] = largest[i];
    __syncthreads();
    if (thread < QUERIES) {
      double x = weight[thread][0];
      for (int j = 1; j < THREADS; ++j) x = fmax(x, weight[thread][j]);
      top[thread] = x;
    }
    __syncthreads();
  }
  for (int i = 0; i < QUERIES && thread < dims; ++i)
    if (first_query + i < queries)
      out[(head * queries + first_query + i) * dims + thread] = __double2half(result[i] / sum[i]);
}
