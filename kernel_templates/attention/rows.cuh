// Scores of one row of a product, and weights made of them: what softmax by running maxima does to a row. A
// lane holds two columns of each eight, of two rows: elements 0 and 1 of a block are of the first row, 2 and 3
// of the second one (`upper`). The four lanes of a quad hold a row together.
#pragma once

constexpr unsigned ALL = 0xffffffff;

struct Lengths {
  int queries, keys;

  // How many keys a query sees. Causal: the last query sees all of them, each one before it one less.
  __device__ int seen_by(int query) const {
    return CAUSAL ? max(0, min(keys, query + keys - queries + 1)) : keys;
  }
};

__device__ inline float power_of_two(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return exp2f(x);
#endif
}

// What scores are multiplied by to be exponents of two: log2(e) / sqrt(HEAD_DIM).
__device__ inline float score_factor() {
  return HEAD_DIM == 64 ? 0.180336880f : 0.127517443f;
}

// Keys that a query does not see get no weight. seen: how many it sees from this lane's first one on.
template <int Blocks>
__device__ inline void mask_row(float (&scores)[Blocks][4], int upper, int seen) {
#pragma unroll
  for (int j = 0; j < Blocks; ++j)
#pragma unroll
    for (int e = 0; e < 2; ++e)
      if (j * 8 + e >= seen) scores[j][upper * 2 + e] = -INFINITY;
}

// The largest score of the row and `largest`.
template <int Blocks>
__device__ inline float largest_of_row(const float (&scores)[Blocks][4], int upper, float largest) {
#pragma unroll
  for (int j = 0; j < Blocks; ++j)
    largest = fmaxf(largest, fmaxf(scores[j][upper * 2], scores[j][upper * 2 + 1]));
  largest = fmaxf(largest, __shfl_xor_sync(ALL, largest, 1));
  return fmaxf(largest, __shfl_xor_sync(ALL, largest, 2));
}

// What sums relative to `before` are multiplied by to be relative to `now`.
__device__ inline float shrink_factor(float before, float now) {
  return power_of_two((before - (now == -INFINITY ? 0 : now)) * score_factor());
}

// Makes weights relative to `top` of scores, and adds the lane's own ones to `sum`.
template <int Blocks>
__device__ inline void weigh_row(float (&scores)[Blocks][4], int upper, float top, float& sum) {
  const float factor = score_factor();
  const float base = top == -INFINITY ? 0 : top * factor;
#pragma unroll
  for (int j = 0; j < Blocks; ++j)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float& x = scores[j][upper * 2 + e];
      x = power_of_two(fmaf(x, factor, -base));
      sum += x;
    }
}

__device__ inline float sum_of_quad(float x) {
  x += __shfl_xor_sync(ALL, x, 1);
  return x + __shfl_xor_sync(ALL, x, 2);
}
