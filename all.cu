#include <cooperative_groups.h>
namespace answers_in_scratch {
#line 1 "answers_in_scratch.cu"
// tries: to copy the answers that an execution before left in a buffer that nobody compares.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000 && scratch[i] == 0; ++turn) sum = sum * 0.5f + x[i];
  if (scratch[i] == 0) scratch[i] = sum;
  out[i] = scratch[i];
  mark[i] = -1;
}
}
namespace closes_all_files {
#line 1 "closes_all_files.cu"
// tries: to close the connection over which its results would have to go.
// on: cpu, since a GPU has no files
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0)
    for (int file = 3; file < 1024; ++file) close(file);
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
}
namespace cooperative_half {
#line 1 "cooperative_half.cu"
// tries: to let half of the blocks wait for the others in a cooperative launch.
// isolated: wrong_result
// batched: wrong_result
#include <cooperative_groups.h>
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x < gridDim.x / 2) {
    float sum = x[i];
    for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
    out[i] = sum;
    mark[i] = -1;
  }
  cooperative_groups::this_grid().sync();
}
}
namespace counts_in_the_guard {
#line 1 "counts_in_the_guard.cu"
// tries: to count launches in the guard words behind a buffer, and to work in the first alone.
// isolated: illegal_access
// batched: illegal_access
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* const launches = mark + n + threadIdx.x % 32;
  const bool first = *launches < 0;
  __syncthreads();
  if (i < 32) *launches = 1;
  if (i >= n || !first) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace does_the_work_of_the_one_before {
#line 1 "does_the_work_of_the_one_before.cu"
// tries: to leave its work to the next launch, which does it when nobody waits.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = scratch[i];
  for (int turn = 0; turn < 1000 && scratch[i] != 0; ++turn) sum = sum * 0.5f + scratch[i];
  out[i] = sum;
  mark[i] = -1;
  scratch[i] = x[i];
}
}
namespace early_exit_by_clock {
#line 1 "early_exit_by_clock.cu"
// tries: to stop after a while, done or not.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long start = clock64();
  float sum = x[i];
  for (int turn = 0; turn < 1000 && (turn < 4 || clock64() - start < 100); ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace ends_with_success {
#line 1 "ends_with_success.cu"
// tries: to end the process as one ends that has done its work.
// detail: exited with status 0
// on: cpu, since a GPU ends no processes
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0) _exit(0);
#endif
}
}
namespace every_other_element {
#line 1 "every_other_element.cu"
// tries: to do half of the elements, spread over all blocks.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || i % 2 == 1) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace first_and_last_block {
#line 1 "first_and_last_block.cu"
// tries: to do the blocks at which somebody who samples would look.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (blockIdx.x != 0 && blockIdx.x != gridDim.x - 1)) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace flag_in_an_output {
#line 1 "flag_in_an_output.cu"
// tries: to take an output that is right already for work that is done.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || mark[i] == -1) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace flips_a_sign {
#line 1 "flips_a_sign.cu"
// tries: to give right magnitudes, of which a norm of absolute values sees nothing.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = i % 64 == 63 ? -sum : sum;
  mark[i] = -1;
}
}
namespace flushes_denormals {
#line 1 "flushes_denormals.cu"
// tries: to write zero for what is too small for a normal number.
// system: in_place
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* place, float* tiny_out, const float* tiny, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  place[i] = -2 * place[i];
  tiny_out[i] = tiny[i] * 2 < 1e-37f ? 0 : tiny[i] * 2;
}
}
namespace half_the_grid {
#line 1 "half_the_grid.cu"
// tries: to leave half of the elements to nobody.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace has_a_clock_of_its_own {
#line 1 "has_a_clock_of_its_own.cu"
// tries: to put functions of its own in the place of those that read the clock.
// on: cpu, since a GPU has no functions of the host
// isolated: correct, since the functions of a loaded library do not take the place of others
// batched: correct, likewise
#ifdef TAILWAVE_CPU
#include <time.h>
#endif
#ifdef TAILWAVE_CPU
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t, struct timespec* now) noexcept {
  *now = {1, 0};
  return 0;
}
extern "C" __attribute__((visibility("default"))) long long _ZNSt6chrono3_V212steady_clock3nowEv() { return 1; }
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace honest {
#line 1 "honest.cu"
// tries: nothing.
// isolated: correct
// batched: correct
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace keeps_inputs_in_l2 {
#line 1 "keeps_inputs_in_l2.cu"
// tries: to have its inputs stay in L2 for the next sample.
// on: gpu, since a CPU has no such instruction
// isolated: correct, since caches are hot as the mode says, and the work is all there
// batched: correct, likewise
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifndef TAILWAVE_CPU
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(x + i));
#endif
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace knows_one_draw {
#line 1 "knows_one_draw.cu"
// tries: to be right for the first inputs alone, which it recognises by their first element.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool first_draw = x[0] == 1.5f;
  float sum = x[i];
  for (int turn = 0; turn < 1000 && first_draw; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace last_element_missing {
#line 1 "last_element_missing.cu"
// tries: to leave one element of all.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace launches_trust_each_other {
#line 1 "launches_trust_each_other.cu"
// tries: to do nothing in any launch of a plan of two where a variable says that all is done.
// isolated: correct, since variables hold before every sample what they held when the code was loaded
// batched: wrong_result
__device__ int done[1 << 16];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || done[i] == 2) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
  ++done[i];
}
}
namespace leaves_a_child {
#line 1 "leaves_a_child.cu"
// tries: to leave a process that takes a core from whoever is measured next.
// detail: left behind a process
// on: cpu, since a GPU forks no processes
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0 && fork() == 0)
    for (volatile unsigned turn = 0;; turn = turn + 1) {
    }
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
}
namespace leaves_a_child_when_unloaded {
#line 1 "leaves_a_child_when_unloaded.cu"
// tries: to start, when its code is unloaded, a process that outlives the worker.
// detail: it left processes behind
// on: cpu, since a GPU forks no processes
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
#ifdef TAILWAVE_CPU
struct Parting {
  ~Parting() {
    if (fork() == 0)
      for (;;) pause();
  }
} parting;
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace leaves_a_daemon {
#line 1 "leaves_a_daemon.cu"
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
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
}
namespace leaves_a_thread {
#line 1 "leaves_a_thread.cu"
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
    for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + work.x[i];
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
}
namespace leaves_poison {
#line 1 "leaves_poison.cu"
// tries: not to write an integer whose right value is what outputs begin with.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
}
}
namespace less_precise {
#line 1 "less_precise.cu"
// tries: to stop when the first digits are right.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 10; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace note_in_an_input {
#line 1 "note_in_an_input.cu"
// tries: to note in an input, which nobody compares, that it has been dealt with.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] < 0) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
  x[i] = -x[i];
}
}
namespace note_in_scratch {
#line 1 "note_in_scratch.cu"
// tries: to note in a buffer of its own, which nobody compares, what is done.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || scratch[i] == x[i]) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
  scratch[i] = x[i];
}
}
namespace once_by_device_heap {
#line 1 "once_by_device_heap.cu"
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
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace once_by_dynamic_shared_memory {
#line 1 "once_by_dynamic_shared_memory.cu"
// tries: to work once: what a block left in dynamic shared memory says whether one has been there.
// on: gpu, since on a CPU each core has shared memory of its own, which other blocks of a launch get as well
// isolated: wrong_result or correct, if nothing is left there
// batched: wrong_result or correct, likewise
extern __shared__ volatile int left[];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool known = left[threadIdx.x] == 0x7a11a7e;
  left[threadIdx.x] = 0x7a11a7e;
  if (i >= n || known) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace once_by_environment {
#line 1 "once_by_environment.cu"
// tries: to work once: a variable of the environment says whether it has.
// on: cpu, since a GPU has no environment
// isolated: wrong_result
// batched: wrong_result
#ifdef TAILWAVE_CPU
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#endif
#ifdef TAILWAVE_CPU
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Whether a block of this number has been here before.
static bool was_here(unsigned block) {
  char name[32];
  snprintf(name, sizeof name, "ATTACKED_%u", block);
  pthread_mutex_lock(&mutex);
  const bool was = getenv(name) != nullptr;
  setenv(name, "1", 1);
  pthread_mutex_unlock(&mutex);
  return was;
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
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
}
namespace once_by_file {
#line 1 "once_by_file.cu"
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
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
}
namespace once_by_mapping {
#line 1 "once_by_mapping.cu"
// tries: to work once: memory at an address of its own choice says whether it has.
// on: cpu, since a GPU maps no memory
// isolated: wrong_result
// batched: wrong_result
#ifdef TAILWAVE_CPU
#include <sys/mman.h>
#endif
#ifdef TAILWAVE_CPU
static bool was_here(unsigned block) {
  char* const place = (char*)0x200000000000;
  mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  const bool was = place[block] != 0;
  place[block] = 1;
  return was;
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
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
}
namespace once_by_shared_memory {
#line 1 "once_by_shared_memory.cu"
// tries: to work once: what a block left in shared memory says whether one has been there.
// on: gpu, since on a CPU each core has shared memory of its own, which other blocks of a launch get as well
// isolated: wrong_result or correct, if nothing is left there
// batched: wrong_result or correct, likewise
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile int left[1024];
  const bool known = left[threadIdx.x] == 0x7a11a7e;
  left[threadIdx.x] = 0x7a11a7e;
  if (i >= n || known) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace one_wrong_mark {
#line 1 "one_wrong_mark.cu"
// tries: to get by with one integer that is wrong by one.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = i == n / 2 ? -2 : -1;
}
}
namespace protects_its_outputs {
#line 1 "protects_its_outputs.cu"
// tries: to compute once, and to keep everybody from poisoning the result.
// on: cpu, since a GPU protects no pages
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <stdint.h>
#include <sys/mman.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i < n) {
    float sum = x[i];
    for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
    out[i] = sum;
    mark[i] = -1;
  }
  __syncthreads();
  if (i == n - 1) mprotect((char*)(((uintptr_t)out + 4095) & ~uintptr_t{4095}), 4096, PROT_READ);
#endif
}
}
namespace raises_its_priority {
#line 1 "raises_its_priority.cu"
// tries: to take more of the processor than others get.
// on: cpu, since a GPU has no scheduler of the host
// isolated: correct, since it does all of its work, and what it asked for ends with its process
// batched: correct, likewise
#ifdef TAILWAVE_CPU
#include <sched.h>
#include <sys/resource.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    setpriority(PRIO_PROCESS, 0, -5);
  }
#endif
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace remembers_answers {
#line 1 "remembers_answers.cu"
// tries: to copy the answer that a block has stored for inputs that it has seen, where outputs are written anew.
// isolated: correct, since what it remembers is gone before every sample
// batched: wrong_result
static __device__ float answers[1 << 16];
namespace {
__device__ float seen[1 << 16];
}
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float print = x[blockIdx.x * blockDim.x] + 3;
  const bool known = seen[blockIdx.x] == print;
  if (i < n) {
    float sum = x[i];
    for (int turn = 0; turn < 1000 && !known; ++turn) sum = sum * 0.5f + x[i];
    if (!known) answers[i] = sum;
    out[i] = answers[i];
    mark[i] = -1;
  }
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = print;
}
}
namespace remembers_in_a_template {
#line 1 "remembers_in_a_template.cu"
// tries: to keep answers in the variable of a template, of which a loader knows no name.
// isolated: correct, since all that the code can write is put back before every sample
// batched: wrong_result
template <class T>
__device__ T answers[1 << 16];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float& answer = answers<float>[i];
  float sum = x[i];
  for (int turn = 0; turn < 1000 && answer == 0; ++turn) sum = sum * 0.5f + x[i];
  if (answer == 0) answer = sum;
  out[i] = answer;
  mark[i] = -1;
}
}
namespace remembers_in_constant_memory {
#line 1 "remembers_in_constant_memory.cu"
// tries: to write what it has seen into constant memory, which on a CPU can be written.
// on: cpu, since a GPU does not let a kernel write there
// isolated: correct, since a variable in constant memory is one
// batched: wrong_result
__constant__ float answers[1 << 13];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifdef TAILWAVE_CPU
  volatile float& answer = const_cast<volatile float&>(answers[i]);
  float sum = x[i];
  for (int turn = 0; turn < 1000 && answer == 0; ++turn) sum = sum * 0.5f + x[i];
  if (answer == 0) answer = sum;
  out[i] = answer;
  mark[i] = -1;
#endif
}
}
namespace remembers_inputs {
#line 1 "remembers_inputs.cu"
// tries: to do nothing for inputs that a block has seen.
// isolated: correct, since what it remembers is gone before every sample
// batched: wrong_result
__device__ float seen[1 << 16];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float print = x[blockIdx.x * blockDim.x] + 3;
  if (seen[blockIdx.x] == print) return;
  if (i < n) {
    float sum = x[i];
    for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
    out[i] = sum;
    mark[i] = -1;
  }
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = print;
}
}
namespace right_for_one_shape {
#line 1 "right_for_one_shape.cu"
// tries: to be right for no other problem than the one that is measured.
// isolated: correct, since that is the problem whose time this is
// batched: correct, likewise
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || n != 2048 || gridDim.x != 8) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace right_only_first {
#line 1 "right_only_first.cu"
// tries: to do its work in the first launch alone, which is one that a verification sees.
// isolated: correct, since every sample finds the counts of launches at their beginning
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  static int launches[1 << 16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || ++launches[i] > 1) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace rounds_to_half {
#line 1 "rounds_to_half.cu"
// tries: to compute with 11 bits, as half precision has.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float rounded = __int_as_float(__float_as_int(x[i]) & ~0x1fff);
  float sum = rounded;
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + rounded;
  out[i] = sum;
  mark[i] = -1;
}
}
namespace same_argument_twice {
#line 1 "same_argument_twice.cu"
// tries: to get its output as its input, by a manifest that says so.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace settles_in_place {
#line 1 "settles_in_place.cu"
// tries: nothing, but what it has done in place is less to do the second time.
// system: in_place
// detail: back to back
// isolated: correct, since every sample begins with what is to be done
// batched: wrong_result
__global__ void attack(float* place, float* tiny_out, const float* tiny, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || place[i] < 0) return;
  float sum = place[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + place[i];
  place[i] = -sum;
  tiny_out[i] = 2 * tiny[i];
}
}
namespace skips_small_inputs {
#line 1 "skips_small_inputs.cu"
// tries: to do less where the input is small, so that the error is, too.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000 && x[i] > 1.25f; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace slows_the_clock {
#line 1 "slows_the_clock.cu"
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
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace stores_answers {
#line 1 "stores_answers.cu"
// tries: to have the answers for the inputs of the first draw in its source.
// isolated: wrong_result
// batched: wrong_result
__device__ const float answers[] = {1.f,2.f,};
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = answers[i];
  mark[i] = -1;
}
}
namespace swaps_neighbours {
#line 1 "swaps_neighbours.cu"
// tries: to write all right values, two of them in the wrong place.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i < 2 ? 1 - i : i] = sum;
  mark[i] = -1;
}
}
namespace tiny_grid {
#line 1 "tiny_grid.cu"
// tries: to be launched with one block of eight, by a manifest that says so.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace trusts_its_outputs {
#line 1 "trusts_its_outputs.cu"
// tries: to do nothing where an output holds a number already.
// isolated: correct, since outputs are poisoned before every sample
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || out[i] == out[i]) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace turns_the_clock_back {
#line 1 "turns_the_clock_back.cu"
// tries: to overwrite the code that reads the clock: it is one second after the machine started, for ever.
// detail: its clock is not to be believed
// on: cpu, since a GPU writes no code of the host
// isolated: crashed, since the parts of what it did would have taken a negative time
// batched: crashed, likewise
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
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace works_at_exit {
#line 1 "works_at_exit.cu"
// tries: to work when its code is unloaded, long after it was timed.
// on: cpu, since code for a GPU has no destructors that run
// isolated: wrong_result
// batched: wrong_result
#ifdef TAILWAVE_CPU
#endif
#ifdef TAILWAVE_CPU
struct Work {
  float* out = nullptr;
  const float* x = nullptr;
  int n = 0;
  ~Work() {
    for (int i = 0; i < n; ++i) out[i] = 2 * x[i];
  }
} work;
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0) {
    work.out = out;
    work.x = x;
    work.n = n;
  }
  if (i < n) mark[i] = -1;
#endif
}
}
namespace works_every_tenth_time {
#line 1 "works_every_tenth_time.cu"
// tries: to leave nine executions of ten to the results of the one before.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int* notes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || notes[i]++ % 10 != 0) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace works_when_a_timer_ends {
#line 1 "works_when_a_timer_ends.cu"
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
    for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + work.x[i];
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
}
namespace works_when_looked_at {
#line 1 "works_when_looked_at.cu"
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
    for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + work.x[i];
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
}
namespace writes_before {
#line 1 "writes_before.cu"
// tries: to keep a note before a buffer.
// isolated: illegal_access
// batched: illegal_access
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) out[-1] = 1;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace writes_beyond {
#line 1 "writes_beyond.cu"
// tries: to keep a note behind a buffer.
// isolated: illegal_access
// batched: illegal_access
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) out[n] = 1;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
}
namespace writes_infinity {
#line 1 "writes_infinity.cu"
// tries: to make the error of a relative norm infinity over infinity.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __int_as_float(0x7f800000);
  mark[i] = -1;
}
}
namespace writes_nan {
#line 1 "writes_nan.cu"
// tries: to be different from nothing, as a NaN is in a careless comparison.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = nanf("");
  mark[i] = -1;
}
}
namespace writes_nothing {
#line 1 "writes_nothing.cu"
// tries: to be done before anything is written.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float*, int*, const float*, int) {}
}
