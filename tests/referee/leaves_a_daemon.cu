// tries: to leave a process in a session of its own, whose parent is gone.
// detail: left behind a process
// on: cpu, since a GPU forks no processes
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <sys/wait.h>
#include <unistd.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0) {
    const pid_t child = fork();
    if (child == 0) {
      setsid();
      if (fork() == 0)
        for (;;) pause();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
