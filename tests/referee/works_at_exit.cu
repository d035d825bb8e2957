// tries: to work when its code is unloaded, long after it was timed.
// on: cpu, since code for a GPU has no destructors that run
// isolated: wrong_result
// batched: wrong_result
#ifdef TAILWAVE_CPU
#endif
#ifdef TAILWAVE_CPU
struct Work {
  float* out = nullptr;
  const float* x = nullptr;
  int n = 0;
  ~Work() {
    for (int i = 0; i < n; ++i) out[i] = 2 * x[i];
  }
} work;
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0) {
    work.out = out;
    work.x = x;
    work.n = n;
  }
  if (i < n) mark[i] = -1;
#endif
}
