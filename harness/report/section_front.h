#pragma once

#include <string>

#include "report/study.h"

namespace tailwave {

// The Pareto front of each problem; "" where the experiment has no objectives.
std::string fronts_part(const DeviceStudy& device);

}  // namespace tailwave
