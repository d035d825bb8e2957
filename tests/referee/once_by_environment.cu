// tries: to work once: a variable of the environment says whether it has.
// on: cpu, since a GPU has no environment
// isolated: wrong_result
// batched: wrong_result
#ifdef TAILWAVE_CPU
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#endif
#ifdef TAILWAVE_CPU
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Whether a block of this number has been here before.
static bool was_here(unsigned block) {
  char name[32];
  snprintf(name, sizeof name, "ATTACKED_%u", block);
  pthread_mutex_lock(&mutex);
  const bool was = getenv(name) != nullptr;
  setenv(name, "1", 1);
  pthread_mutex_unlock(&mutex);
  return was;
}
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  __shared__ bool known;
  if (threadIdx.x == 0) known = was_here(blockIdx.x);
  __syncthreads();
  if (i >= n || known) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
