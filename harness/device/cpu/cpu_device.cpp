#include "device/cpu/cpu_device.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "core/sandbox.h"
#include "device/cpu/cpu_executor.h"
#include "device/cpu/fiber_stack.h"
#include "device/cpu/launch_limits.h"
#include "device/cpu/sanitizer.h"

namespace tailwave {
namespace {

// Bytes that Linux thinks it could give to programs now; 0 when it does not say.
std::uint64_t available_memory() {
  std::ifstream info("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  while (info >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes << 10;
    info.ignore(64, '\n');
  }
  return 0;
}

// Best effort: where one of the two is refused, the other and the system's own limits remain.
void limit_memory() {
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  // AddressSanitizer reserves terabytes.
  const std::uint64_t available = available_memory();
  if (sanitizer::kActive || available == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  // Stacks count with their whole size, of which a small part is used.
  const std::uint64_t stacks = kMaxCooperativeThreads * FiberStack::size();
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, available / 10 * 9 + stacks);
  setrlimit(RLIMIT_DATA, &limit);
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

}  // namespace

ExecutorFactory cpu_device(int cores) {
  return [cores]() -> std::unique_ptr<Executor> {
    limit_memory();
    enter_sandbox(Confined::host_code);  // before there are threads on which the code runs
    // A process that a kernel starts is then a child of this one, also when it has lost its own parent.
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (!sanitizer::kActive) set_thread_stacks();
    return std::make_unique<CpuExecutor>(cores);
  };
}

}  // namespace tailwave
