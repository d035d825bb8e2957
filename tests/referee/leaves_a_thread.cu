// tries: to leave the work to a thread that does it when the time has been taken.
// detail: left behind a thread
// on: cpu, since a GPU starts no threads of the host
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <pthread.h>
#include <unistd.h>
#endif
#ifdef TAILWAVE_CPU
struct Work {
  float* out;
  int* mark;
  const float* x;
  int n;
};

static void do_all(Work work) {
  for (int i = 0; i < work.n; ++i) {
    float sum = work.x[i];
    for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + work.x[i];
    work.out[i] = sum;
    work.mark[i] = -1;
  }
}

static Work work;
static void* do_later(void*) {
  do_all(work);
  for (;;) pause();
}
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i != 0) return;
  work = {out, mark, x, n};
  pthread_t thread;
  pthread_create(&thread, nullptr, do_later, nullptr);
  pthread_detach(thread);
#endif
}
