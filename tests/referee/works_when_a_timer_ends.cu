// tries: to work in the handler of a timer that ends after the time has been taken.
// detail: left behind a handler of signal 14
// on: cpu, since a GPU handles no signals
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <signal.h>
#include <sys/time.h>
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
static void work_now(int) { do_all(work); }
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i != 0) return;
  work = {out, mark, x, n};
  signal(SIGALRM, work_now);
  const struct itimerval soon = {{0, 0}, {0, 300}};
  setitimer(ITIMER_REAL, &soon, nullptr);
#endif
}
