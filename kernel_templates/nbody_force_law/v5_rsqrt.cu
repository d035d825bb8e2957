// Attraction and repulsion for any number of bodies: v3_rsqrt for the bodies of whole blocks, v1_rsqrt for the
// remainder, in two kernels that may run at the same time. Body: x y z mass.
//
// Both read all positions, so neither may store there, and a third kernel would have to wait for both. Hence each
// moves its bodies itself, from one array into another, and the arrays change roles with every step. progress: 1 in odd
// steps, when `moved` holds the positions; and how many blocks of this step have read it.

#include "force_law.cuh"

namespace {

struct Positions {
  const float4* now;
  float4* next;
};

// The bodies of whole blocks.
__device__ int whole_of(int n) {
  return n / BLOCK_SIZE * BLOCK_SIZE;
}

// For all threads of each block that has bodies, in both kernels. The last block to have read the step's parity changes
// it for the next step.
__device__ Positions begin_step(float4* bodies, float4* moved, unsigned* progress, int n) {
  const int blocks = n / BLOCK_SIZE + (n % BLOCK_SIZE + REMAINDER_BLOCK_SIZE - 1) / REMAINDER_BLOCK_SIZE;
  const unsigned odd = *static_cast<volatile unsigned*>(progress);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&progress[1], 1u) + 1 == static_cast<unsigned>(blocks)) {
    progress[1] = 0;
    progress[0] = 1 - odd;
  }
  return odd ? Positions{moved, bodies} : Positions{bodies, moved};
}

}  // namespace

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    whole_blocks(float4* bodies, float4* moved, float3* velocities, unsigned* progress, float g, float h,
                 float softening, float damp, float dt, int n) {
  __shared__ float4 tile[BLOCK_SIZE];
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= whole_of(n)) return;  // all of a block, or none
  const Positions positions = begin_step(bodies, moved, progress, n);
  const Law law{g, h, softening};
  const float4 body = positions.now[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  int count = BLOCK_SIZE;
  for (int j = threadIdx.x; count == BLOCK_SIZE; j += BLOCK_SIZE) {
    if (j < n) tile[threadIdx.x] = positions.now[j];
    // The bodies of this tile; the last one has fewer, or none.
    count = __syncthreads_count(j < n);
    if (count == BLOCK_SIZE) {
#pragma unroll kUnroll
      for (int k = 0; k < BLOCK_SIZE; ++k) add_pull(law, body, tile[k], sum);
      __syncthreads();
    } else {
#pragma unroll 1
      for (int k = 0; k < count; ++k) add_pull(law, body, tile[k], sum);
    }
  }
  const float3 velocity = accelerated(velocities[i], sum, body.w, damp, dt);
  velocities[i] = velocity;
  positions.next[i] = moved_by(body, velocity, dt);
}

extern "C" __global__ void __launch_bounds__(REMAINDER_BLOCK_SIZE)
    remaining_bodies(float4* bodies, float4* moved, float3* velocities, unsigned* progress, float g, float h,
                     float softening, float damp, float dt, int n) {
  const int first = whole_of(n) + blockIdx.x * REMAINDER_BLOCK_SIZE;
  if (first >= n) return;  // all of a block, or none
  const Positions positions = begin_step(bodies, moved, progress, n);
  const int i = first + threadIdx.x;
  if (i >= n) return;
  const Law law{g, h, softening};
  const float4 body = positions.now[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll kUnroll
  for (int j = 0; j < n; ++j) add_pull(law, body, positions.now[j], sum);
  const float3 velocity = accelerated(velocities[i], sum, body.w, damp, dt);
  velocities[i] = velocity;
  positions.next[i] = moved_by(body, velocity, dt);
}

extern "C" __global__ void begin(unsigned* progress) {
  progress[0] = progress[1] = 0;
}

extern "C" __global__ void finish(float4* bodies, const float4* moved, const unsigned* progress, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && progress[0] == 1) bodies[i] = moved[i];
}
