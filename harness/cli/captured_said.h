#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "capture/captured_launch.h"
#include "capture/replay_check.h"
#include "core/table.h"

namespace tailwave {

// One kernel of an application with all shapes that it was launched in.
struct ApplicationKernel {
  std::string name;
  std::int64_t launches = 0;
  double total_ns = 0;
  std::size_t shapes = 0;
  std::vector<double> times_ns;
};
// Those that take the most time first.
std::vector<ApplicationKernel> kernels_of(const std::vector<KernelTimes>& times);
Table profile_table(const std::vector<ApplicationKernel>& kernels);

// What came of launching it anew on a device, in a sentence and for programs.
std::string sentence_of(const ReplayCheck& check, const std::string& device);
nlohmann::ordered_json json_of(const ReplayCheck& check);

}  // namespace tailwave
