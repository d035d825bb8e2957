#pragma once

// What execution.h has where races are looked for: the program with main() (races/runner.cc), which is not
// instrumented, holds what changes from thread to thread, so that ThreadSanitizer sees no write of it.

#include "../tailwave_abi.h"
#include "vector_types.h"

extern "C" {
tailwave_cpu::Block* tailwave_running_block();
tailwave_cpu::Index3 tailwave_thread_index();
tailwave_cpu::Index3 tailwave_block_index();
tailwave_cpu::Index3 tailwave_block_size();
tailwave_cpu::Index3 tailwave_grid_size();
int tailwave_zero();
}

namespace tailwave_cpu {

template <class Vector>
[[gnu::always_inline]] inline Vector vector_of(Index3 index) {
  return {index.x, index.y, index.z};
}

struct RunningBlock {
  Block* operator->() const { return tailwave_running_block(); }
  Block& operator*() const { return *tailwave_running_block(); }
};
constexpr RunningBlock running_block;

template <class Service, class... Arguments>
inline auto with_others(Service service, Arguments... arguments) {
  return service(*running_block, arguments...);
}

inline int barrier(Barrier kind, int predicate = 0) {
  return running_block->services->barrier(*running_block, kind, predicate);
}

// Not reached: Services::cluster ends the launch.
inline void* at_rank(const void* address, unsigned) {
  return const_cast<void*>(address);
}

// The first use of one thread_local variable initialises all of this unit, the file's pointers to dynamic shared memory
// among them.
static thread_local int first_variable = tailwave_zero();

}  // namespace tailwave_cpu

#define threadIdx (::tailwave_cpu::vector_of<uint3>(tailwave_thread_index()))
#define blockIdx (::tailwave_cpu::vector_of<uint3>(tailwave_block_index()))
#define blockDim (::tailwave_cpu::vector_of<dim3>(tailwave_block_size()))
#define gridDim (::tailwave_cpu::vector_of<dim3>(tailwave_grid_size()))

// To be called before any CUDA thread runs on a thread of the operating system: the first one's initialisation would
// be a race with the others.
extern "C" void tailwave_prepare_thread() {
  static_cast<void>(*const_cast<volatile int*>(&tailwave_cpu::first_variable));
}
