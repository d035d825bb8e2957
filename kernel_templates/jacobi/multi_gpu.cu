// The points in as many parts as there are GPUs, each part in the memory of its own. A GPU reads the one point that it lacks
// on either side from its neighbour's memory. Each adds up its own part; then the first one adds the sums of all.

#include "jacobi.cuh"

// The points from `first` on, so many, from one GPU's memory into another's.
extern "C" __global__ void scatter(const float* f, float* part, int first, int count) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < count) part[i] = f[first + i];
}

extern "C" __global__ void gather(const float* part, float* f, int first, int count) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < count) f[first + i] = part[i];
}

// The study's problem in a part; see begin().
extern "C" __global__ void begin_part(float* part, int first, int count, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < count) part[i] = first + i == 0 ? 5.0f : first + i == n - 1 ? 10.0f : 0.0f;
}

// `left` has left_count points; it and `right` do not count where the part has an end of its own.
extern "C" __global__ void step(const float* left, const float* part, const float* right, float* new_part, float* sum,
                                int left_count, int first, int count, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  float square = 0.0f;
  if (i < count) {
    const float old_value = part[i];
    const bool is_end = first + i == 0 || first + i == n - 1;
    float new_value = old_value;
    if (!is_end) {
      const float before = i > 0 ? part[i - 1] : left[left_count - 1];
      const float behind = i < count - 1 ? part[i + 1] : right[0];
      new_value = 0.5f * (before + behind);
    }
    new_part[i] = new_value;
    square = (new_value - old_value) * (new_value - old_value);
  }
  const float total = block_sum<BLOCK_SIZE>(square);
  if (threadIdx.x == 0) atomicAdd(sum, total);
}

extern "C" __global__ void add_up(const float* sum_0, const float* sum_1, const float* sum_2, const float* sum_3, int gpus,
                                  float* sum) {
  float total = *sum_0;
  if (gpus > 1) total += *sum_1;
  if (gpus > 2) total += *sum_2;
  if (gpus > 3) total += *sum_3;
  *sum = total;
}
