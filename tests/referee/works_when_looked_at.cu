// tries: to make its output unreadable, and to compute it when somebody reads.
// detail: left behind a handler of signal 11
// on: cpu, since a GPU handles no signals
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
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
static char* page_of(void* place) { return (char*)((uintptr_t)place & ~uintptr_t{4095}); }

static void work_now(int, siginfo_t*, void*) {
  mprotect(page_of(work.out), 4096 * 3, PROT_READ | PROT_WRITE);
  do_all(work);
}
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i != 0) return;
  work = {out, mark, x, n};
  struct sigaction action = {};
  action.sa_sigaction = work_now;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  mprotect(page_of(out), 4096 * 3, PROT_NONE);
#endif
}
