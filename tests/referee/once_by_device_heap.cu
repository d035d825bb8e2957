// tries: to work once: memory of the device heap that it gives back and gets again says whether it has.
// on: gpu, since that heap is a GPU's
// isolated: wrong_result or correct, if the heap gives other memory or keeps nothing
// batched: wrong_result or correct, likewise
struct Note {
  long long heap[4], magic;
};
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ bool known;
  if (threadIdx.x == 0) {
    Note* const note = static_cast<Note*>(malloc(sizeof(Note)));
    known = note != nullptr && note->magic == 0x7a11a7e;
    if (note != nullptr) note->magic = 0x7a11a7e;
    free(note);
  }
  __syncthreads();
  if (i >= n || known) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
