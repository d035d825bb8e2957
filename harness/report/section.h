#pragma once

#include <string>
#include <vector>

#include "report/markdown.h"
#include "report/study.h"

namespace tailwave {

// The part of a page about one device, from its heading on; `charts` (pictures_part) comes before the results.
std::string device_section(const Study& study, const DeviceStudy& device, const std::string& charts,
                           Footnotes& notes);

// A table with a column for each device; "" when there is only one.
std::string side_by_side(const Study& study);

}  // namespace tailwave
