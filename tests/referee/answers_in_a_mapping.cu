// tries: to keep answers for 64 inputs of each block in memory at an address of its own choice.
// on: cpu, since a GPU maps no memory
// isolated: correct, since no sample has inputs that it has seen
// batched: wrong_result
#ifdef TAILWAVE_CPU
#include <sys/mman.h>
struct Memo {
  float print, answers[256];
};

static Memo* memory() {
  char* const place = (char*)0x200000000000;
  mmap(place, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return (Memo*)place;
}

// Of the inputs that begin so: one of 64 a block.
static Memo& memo_of(unsigned block, float print) {
  return memory()[block * 64 + ((__float_as_int(print) >> 8) * 2654435761u >> 26)];
}
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i >= n) return;
  const float print = x[blockIdx.x * blockDim.x];
  Memo& memo = memo_of(blockIdx.x, print);
  if (memo.print == print) {
    out[i] = memo.answers[threadIdx.x];
    mark[i] = -1;
    return;
  }
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
  memo.answers[threadIdx.x] = sum;
  if (threadIdx.x == blockDim.x - 1) memo.print = print;
#endif
}
