// y = 2 x, ROUNDS times over; volatile, so that each round is done.
extern "C" __global__ void repeated(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile float* from = x;
  volatile float* to = y;
  if (i >= n) return;
  for (int round = 0; round < ROUNDS; ++round) to[i] = 2 * from[i];
}
