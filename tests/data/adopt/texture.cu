// An argument that no manifest has a word for.
__global__ void sample(cudaTextureObject_t image, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(image, i);
}
