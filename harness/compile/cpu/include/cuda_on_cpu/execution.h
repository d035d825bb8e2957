#pragma once

// Built-in variables, barriers, fences and clocks.

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "../tailwave_abi.h"
#include "vector_types.h"

constexpr int warpSize = tailwave_cpu::kWarpSize;

#ifdef TAILWAVE_RACES
#include "races.h"
#else

// Those of the running thread. One thread of the operating system runs a block, so the last three stay as they
// are while it does; each CUDA thread puts threadIdx back after others ran.
static thread_local uint3 threadIdx;
static thread_local uint3 blockIdx;
static thread_local dim3 blockDim;
static thread_local dim3 gridDim;

namespace tailwave_cpu {

static thread_local Block* running_block;

// Calls a service that may run other threads of the block meanwhile.
template <class Service, class... Arguments>
inline auto with_others(Service service, Arguments... arguments) {
  struct Restore {
    uint3 index = threadIdx;
    ~Restore() {
      __asm__ volatile("" ::: "memory");
      threadIdx = index;
    }
  } restore;
  return service(*running_block, arguments...);
}

// AddressSanitizer has to be told of every change of stacks, which the program does.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kJumpsHere = false;
#elif defined(__has_feature)
constexpr bool kJumpsHere = !__has_feature(address_sanitizer);
#else
constexpr bool kJumpsHere = true;
#endif

// Leaves the running thread waiting and resumes the next one of the ring.
[[gnu::always_inline]] inline void jump_to_next(Block& block) {
  Flow& here = *block.current;
  here.target = block.current = here.next;
  const Arrival arrival = block.services->jump(here.next->context, &here);
  static_cast<Flow*>(arrival.from)->context = arrival.context;
}

// What Services::barrier does, for the common case that all threads have started, some of them not come here yet,
// and this one is resumed when they have: in that case no call returns between kernel and jump, which the processor
// would mispredict.
[[gnu::always_inline]] inline int barrier(Barrier kind, int predicate = 0) {
  Block& block = *running_block;
  BarrierState& state = block.barriers[static_cast<int>(kind)];
  if (!kJumpsHere || kind >= Barrier::grid || block.next_thread != block.thread_count ||
      state.arrived + 1 == block.live_threads || block.current->next == block.current)
    return with_others(block.services->barrier, kind, predicate);

  const uint3 index = threadIdx;
  const unsigned thread = block.thread;
  const unsigned generation = state.generation;
  state.predicates += predicate != 0 ? 1 : 0;
  ++state.arrived;
  ++block.suspended;
  jump_to_next(block);
  if (state.generation == generation) block.services->go_on_waiting(block, state.generation, generation);
  --block.suspended;
  block.fruitless = 0;
  block.thread = thread;
  threadIdx = index;
  return state.result;
}

// Where another block of the cluster has what this one has at that address of its shared memory.
inline void* at_rank(const void* address, unsigned rank) {
  Block& block = *running_block;
  const Cluster& cluster = block.services->cluster(block);
  const char* const place = static_cast<const char*>(address);
  const char* const dynamic = static_cast<const char*>(block.dynamic_shared);
  const Cluster::Place &mine = cluster.at[block.cluster_rank], &other = cluster.at[rank];
  const bool is_dynamic = place >= dynamic && place < dynamic + block.dynamic_shared_bytes;
  const void* const from = is_dynamic ? mine.dynamic_shared : mine.statics;
  void* result = static_cast<char*>(is_dynamic ? other.dynamic_shared : other.statics) +
                 (place - static_cast<const char*>(from));
  __asm__ volatile("" : "+r"(result) : : "memory");  // not a place in this thread's variable
  return result;
}

}  // namespace tailwave_cpu

#endif  // TAILWAVE_RACES

namespace tailwave_cpu {

template <class T>
inline auto* dynamic_shared() {
  return static_cast<T*>(running_block->dynamic_shared);
}

[[noreturn]] inline void fail(const char* message) {
  running_block->services->fail(*running_block, message);
  __builtin_unreachable();
}

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  char message[512];
  snprintf(message, sizeof message, "%s:%d: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
           file, line, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, condition);
  fail(message);
}

}  // namespace tailwave_cpu

inline void __syncthreads() {
  tailwave_cpu::barrier(tailwave_cpu::Barrier::sync);
}
inline int __syncthreads_count(int predicate) {
  return tailwave_cpu::barrier(tailwave_cpu::Barrier::count, predicate);
}
inline int __syncthreads_and(int predicate) {
  return tailwave_cpu::barrier(tailwave_cpu::Barrier::all, predicate);
}
inline int __syncthreads_or(int predicate) {
  return tailwave_cpu::barrier(tailwave_cpu::Barrier::any, predicate);
}

// The launches of a stream follow one another.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
}
inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Other threads of the block get their turn; nobody sleeps.
inline void __nanosleep(unsigned) {
  tailwave_cpu::with_others(tailwave_cpu::running_block->services->yield);
}
[[noreturn]] inline void __trap() {
  tailwave_cpu::fail("__trap() was called");
}

// Nanoseconds of the monotonic clock, as PTX's %globaltimer counts.
inline unsigned long long __globaltimer() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1000000000ull +
         static_cast<unsigned long long>(now.tv_nsec);
}

// Ticks of the CPU's time-stamp counter where there is one, else nanoseconds.
inline long long clock64() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  return static_cast<long long>(__globaltimer());
#endif
}
