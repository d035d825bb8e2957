#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "capture/application.h"
#include "capture/captured_launch.h"

namespace tailwave {

// What all processes of an application have left.
struct Seen {
  std::vector<std::filesystem::path> launches;
  std::vector<KernelTimes> times;
  std::vector<std::string> refused;
  std::string obstacle;
  std::size_t processes = 0;
};
Seen gather(const std::filesystem::path& folder);

// "ended with status 3"
std::string how_it_ended(const ApplicationEnd& end);

// Throws Error (run failed) with why nothing could be seen or, of require_launch(), captured, as far as it is known.
void require_cuda(const Seen& seen, const ApplicationEnd& end, const std::string& program);
void require_launch(const Injection& injection, const Seen& seen, const ApplicationEnd& end);
[[noreturn]] void cannot_capture(const std::string& cause, const std::string& hint = "");

}  // namespace tailwave
