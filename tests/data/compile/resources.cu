// Kernels that use each resource which a cubin tells.

constexpr int kValues = 56;

// More live values than 32 registers hold.
__global__ void spilling(float* out, const float* in, int n) {
  float values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = in[i * n + threadIdx.x];
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) values[i] = values[i] * values[(i * 7 + 1) % kValues] + out[i + k];
  }
#pragma unroll
  for (int i = 0; i < kValues; ++i) out[i * n + threadIdx.x] = values[i];
}

// An array with indices known only at run time.
__global__ void on_stack(int* data, int n) {
  int local[64];
  for (int i = 0; i < n; ++i) local[(i * n) & 63] = data[i];
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += local[(data[i] + i) & 63];
  data[threadIdx.x] = sum;
}

__global__ void __launch_bounds__(192, 2) bounded(float* data) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = dynamic[191 - threadIdx.x];
}

__global__ void several_barriers(int* data) {
  __shared__ int tile[1000];
  tile[threadIdx.x] = data[threadIdx.x];
  if (threadIdx.x < 32)
    asm volatile("bar.sync 3, 64;");
  else
    asm volatile("bar.sync 5, 64;");
  __syncthreads();
  data[threadIdx.x] = tile[999 - threadIdx.x];
}

__device__ __noinline__ float called(float* data, int n) {
  float local[40];
  for (int i = 0; i < 40; ++i) local[i] = data[i * n];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const int j = (k * n) % 40;
    sum += local[j] * local[39 - j];
    local[j] = sum;
  }
  __syncthreads();
  return sum;
}
__global__ void calling(float* data, int n) { data[threadIdx.x] = called(data, n) + called(data + n, n); }

template <int kTile>
__global__ void tiled(float* data) {
  __shared__ float tile[kTile * 32];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[kTile * 32 - 1 - threadIdx.x];
}

extern "C" __global__ void plain(float* data) { data[threadIdx.x] = 1; }
