#pragma once

#include <string>

#include "analysis/markdown.h"
#include "analysis/study.h"
#include "store/database.h"

namespace tailwave {

// One line: the best configuration with its value, interval and samples, how many are tied with it, and how many were
// correct.
std::string answer(const Study& study, const DeviceStudy& device);

// The part of a page about one device, from its heading on.
std::string device_section(const Study& study, const DeviceStudy& device, Footnotes& notes);

// A table with a column for each device; "" when there is only one.
std::string side_by_side(const Study& study);

// The latest self-test of each device as a section of the index; "" when there is none.
std::string selftest_section(Database& database);

}  // namespace tailwave
