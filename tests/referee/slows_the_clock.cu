// tries: to overwrite the code that reads the clock: it ticks every two milliseconds.
// on: cpu, since a GPU writes no code of the host
// isolated: correct, since the time is asked of the operating system by code of the program itself
// batched: correct, likewise
#ifdef TAILWAVE_CPU
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif
#ifdef TAILWAVE_CPU
static int tick(clockid_t clock, struct timespec* now) {
  syscall(SYS_clock_gettime, clock, now);
  const long rounded = (now->tv_nsec / 2000000 + 1) * 2000000;
  *now = {now->tv_sec + rounded / 1000000000, rounded % 1000000000};
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
  if (i == 0) patch(dlsym(RTLD_DEFAULT, "clock_gettime"), (void*)tick);
#endif
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
