// tries: to put functions of its own in the place of those that read the clock.
// on: cpu, since a GPU has no functions of the host
// isolated: correct, since the functions of a loaded library do not take the place of others
// batched: correct, likewise
#ifdef TAILWAVE_CPU
#include <time.h>
#endif
#ifdef TAILWAVE_CPU
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t, struct timespec* now) noexcept {
  *now = {1, 0};
  return 0;
}
extern "C" __attribute__((visibility("default"))) long long _ZNSt6chrono3_V212steady_clock3nowEv() { return 1; }
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
