#include "device/cpu/core_wait.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace tailwave {

CoreWaits waits_for_cores() {
  CoreWaits waits;
  std::error_code error;
  // A thread may end while it is asked.
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    std::ifstream file(task->path() / "schedstat");
    std::int64_t ran = 0, waited = 0;
    if (file >> ran >> waited) waits[std::stoi(task->path().filename().string())] = waited;
  }
  return waits;
}

std::optional<double> waited_between_ns(const CoreWaits& before, const CoreWaits& after, double elapsed_ns) {
  if (before.empty() || after.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [thread, waited] : after) {
    const auto earlier = before.find(thread);
    const auto between = static_cast<double>(waited - (earlier == before.end() ? 0 : earlier->second));
    if (between <= elapsed_ns) sum += between;
  }
  return sum;
}

}  // namespace tailwave
