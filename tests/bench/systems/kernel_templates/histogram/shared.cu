// A histogram of n values from 0 to 255. Threads of a block count in COPIES histograms in shared memory, thread t in
// the one with number t % COPIES, so that neighbours with equal values need not wait for each other as often.

namespace {

constexpr int kBins = 256;

}  // namespace

extern "C" __global__ void clear(unsigned* counts) {
  counts[threadIdx.x] = 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count(const unsigned* __restrict__ values, unsigned* counts, int n) {
  __shared__ unsigned local[COPIES][kBins];
  for (int bin = threadIdx.x; bin < COPIES * kBins; bin += BLOCK_SIZE) local[bin / kBins][bin % kBins] = 0;
  __syncthreads();

  const int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
#pragma unroll 8
  for (int item = 0; item < ITEMS; ++item) {
    const int i = first + item * BLOCK_SIZE;
    if (i < n) atomicAdd(&local[threadIdx.x % COPIES][values[i] % kBins], 1u);
  }
  __syncthreads();

  for (int bin = threadIdx.x; bin < kBins; bin += BLOCK_SIZE) {
    unsigned sum = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; ++copy) sum += local[copy][bin];
    if (sum > 0) atomicAdd(&counts[bin], sum);
  }
}
