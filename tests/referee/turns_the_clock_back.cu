// tries: to overwrite the code that reads the clock: it is one second after the machine started, for ever.
// on: cpu, since a GPU writes no code of the host
// isolated: crashed or timeout, since the parts of what it did would have taken a negative time or far too long
// batched: crashed or timeout, likewise
#ifdef TAILWAVE_CPU
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#endif
#ifdef TAILWAVE_CPU
static int stand_still(clockid_t, struct timespec* now) {
  *now = {1, 0};
  return 0;
}

// Lets the function jump to another one, which stays where it is: movabs rax, place; jmp rax.
static void patch(void* function, void* other) {
  Dl_info here;
  if (dladdr(other, &here) != 0) dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  unsigned char code[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  memcpy(code + 2, &other, sizeof other);
  char* const page = (char*)((uintptr_t)function & ~uintptr_t{4095});
  if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) memcpy(function, code, sizeof code);
}
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(TAILWAVE_CPU) && defined(__x86_64__)
  if (i == 0) patch(dlsym(RTLD_DEFAULT, "clock_gettime"), (void*)stand_still);
#endif
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
