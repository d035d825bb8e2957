// tries: to work once: a file without a name, open under a number that nothing else has, says whether it has.
// on: cpu, since a GPU opens no file
// isolated: wrong_result
// batched: wrong_result
#ifdef TAILWAVE_CPU
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef TAILWAVE_CPU
static bool was_here(unsigned block) {
  const int file = 200;
  char was = 0;
  if (fcntl(file, F_GETFD) < 0) {
    const int made = memfd_create("notes", 0);
    dup2(made, file);
    close(made);
  }
  const bool read_one = pread(file, &was, 1, block) == 1;
  return pwrite(file, "x", 1, block) == 1 && read_one && was == 'x';
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
