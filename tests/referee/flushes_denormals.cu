// tries: to write zero for what is too small for a normal number.
// system: in_place
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* place, float* tiny_out, const float* tiny, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  place[i] = -2 * place[i];
  tiny_out[i] = tiny[i] * 2 < 1e-37f ? 0 : tiny[i] * 2;
}
