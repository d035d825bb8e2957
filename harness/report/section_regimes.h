#pragma once

#include <string>

#include "report/labels.h"
#include "report/study.h"

namespace tailwave {

// Whether the winner of each problem holds in the regimes in which the best of the device were measured again; "" where
// none were.
std::string regimes_part(const DeviceStudy& device, const Labels& labels);

}  // namespace tailwave
