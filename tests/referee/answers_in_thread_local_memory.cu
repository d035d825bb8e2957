// tries: to keep answers in thread-local memory, which is not put back with other variables.
// on: cpu, since a GPU has no such variables
// isolated: correct, since no sample has inputs that it has seen
// batched: wrong_result
#ifdef TAILWAVE_CPU
struct Memo {
  float print, answers[256];
};

static thread_local Memo memos[8 * 64];
static Memo* memory() { return memos; }

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
