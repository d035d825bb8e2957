// All blocks write one element.
__global__ void blocks(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
  if (threadIdx.x != 63) return;
#if SAFE
  atomicAdd(&out[n], in[i]);
#else
  out[n] = in[i];
#endif
}
