// tries: to keep answers in the variable of a template, of which a loader knows no name.
// isolated: correct, since all that the code can write is put back before every sample
// batched: wrong_result
template <class T>
__device__ T answers[1 << 16];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float& answer = answers<float>[i];
  float sum = x[i];
  for (int turn = 0; turn < 250 && answer == 0; ++turn) sum = sum * 0.5f + x[i];
  if (answer == 0) answer = sum;
  out[i] = answer;
  mark[i] = -1;
}
