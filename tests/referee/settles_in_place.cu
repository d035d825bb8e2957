// tries: nothing, but what it has done in place is less to do the second time.
// system: in_place
// detail: back to back
// isolated: correct, since every sample begins with what is to be done
// batched: wrong_result or correct, where a launch takes longer than the work
__global__ void attack(float* place, float* tiny_out, const float* tiny, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || place[i] < 0) return;
  float sum = place[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + place[i];
  place[i] = -sum;
  tiny_out[i] = 2 * tiny[i];
}
