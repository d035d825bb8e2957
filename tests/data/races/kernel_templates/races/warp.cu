// Without SAFE a lane reads what another one wrote, as if a warp ran in step.
__global__ void warp(float* out, const float* in, int n) {
  __shared__ float lanes[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  lanes[threadIdx.x] = in[i];
#if SAFE
  __syncwarp();
#endif
  out[i] = lanes[threadIdx.x ^ 1];
}
