#include "device/cpu/cpu_device.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "device/cpu/cpu_executor.h"
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
  if (sanitizer::kActive || available_memory() == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, available_memory() / 10 * 9);
  setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace

std::unique_ptr<RemoteExecutor> open_cpu_device(int cores) {
  return std::make_unique<RemoteExecutor>([cores]() -> std::unique_ptr<WorkerExecutor> {
    limit_memory();
    return std::make_unique<CpuExecutor>(cores);
  });
}

}  // namespace tailwave
