#pragma once

#include <string>

#include "report/study.h"

namespace tailwave {

// What executions back to back for seconds take of time and energy; "" where that was not measured.
std::string energy_part(const DeviceStudy& device);

}  // namespace tailwave
