#include "device/cpu/cpu_device.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>

#include "core/error.h"
#include "core/resource_limits.h"
#include "core/sandbox.h"
#include "device/cpu/cpu_executor.h"
#include "device/cpu/fiber_stack.h"
#include "device/cpu/launch_limits.h"
#include "device/cpu/sanitizer.h"

namespace tailwave {
namespace {

// Also where nothing is confined: an endless loop that allocates is a common mistake.
void limit_memory() {
  be_ended_first();
  const std::uint64_t available = available_memory();
  if (sanitizer::kActive || available == 0) return;  // AddressSanitizer reserves terabytes
  // Stacks count with their whole size, of which a small part is used.
  const std::uint64_t stacks = kMaxCooperativeThreads * FiberStack::size();
  limit_resources({.data_bytes = available / 10 * 9 + stacks});
}

// Blocks run on fibers, so a thread needs little of its own.
void set_thread_stacks() {
  constexpr std::size_t kThreadStackBytes = 256 << 10;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kThreadStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

// Also host functions, which make threads of their own, have these alone then.
void keep_to_cores(int cores) {
  cpu_set_t allowed, kept;
  CPU_ZERO(&allowed);
  CPU_ZERO(&kept);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const int all = CPU_COUNT(&allowed);
  if (cores > all) throw Error(fmt::format("{} cores exceed the {} that may be used", cores, all));
  for (std::size_t core = 0; CPU_COUNT(&kept) < cores; ++core)
    if (CPU_ISSET(core, &allowed)) CPU_SET(core, &kept);
  if (sched_setaffinity(0, sizeof kept, &kept) != 0)
    throw Error("the cores that a process may use cannot be limited");
}

}  // namespace

ExecutorFactory cpu_device(int cores) {
  return [cores]() -> std::unique_ptr<Executor> {
    if (cores > 0) keep_to_cores(cores);
    limit_memory();
    enter_sandbox(Confined::host_code);  // before there are threads on which the code runs
    // A process that a kernel starts is then a child of this one, also when it has lost its own parent.
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (!sanitizer::kActive) set_thread_stacks();
    return std::make_unique<CpuExecutor>(cores);
  };
}

}  // namespace tailwave
