#pragma once

#include <string>
#include <vector>

#include "report/markdown.h"
#include "report/study.h"

namespace tailwave {

// One line: the best configuration of each problem, or of the first and the last of many, with its value, interval and
// samples and how many are tied with it, and how many configurations were correct.
std::string answer(const Study& study, const DeviceStudy& device);

// The part of a page about one device, from its heading on; `charts` (pictures_part) follows the results.
std::string device_section(const Study& study, const DeviceStudy& device, const std::string& charts,
                           Footnotes& notes);

// A table with a column for each device; "" when there is only one.
std::string side_by_side(const Study& study);

}  // namespace tailwave
