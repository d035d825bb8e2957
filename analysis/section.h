#pragma once

#include <string>
#include <vector>

#include "analysis/claims.h"
#include "analysis/markdown.h"
#include "analysis/study.h"
#include "store/database.h"

namespace tailwave {

// One line: the best configuration of each problem, or of the first and the last of many, with its value, interval and
// samples and how many are tied with it, and how many configurations were correct.
std::string answer(const Study& study, const DeviceStudy& device);

// The part of a page about one device, from its heading on.
std::string device_section(const Study& study, const DeviceStudy& device, Footnotes& notes);

// A table with a column for each device; "" when there is only one.
std::string side_by_side(const Study& study);

// How many verdicts of each kind there are for each device, as a list.
std::string count_verdicts(const std::vector<Verdict>& verdicts);

// All claims by system, each with its source and its verdicts.
std::string claims_page(const std::vector<Verdict>& verdicts);

// The latest self-test of each device as a section of the index; "" when there is none.
std::string selftest_section(Database& database);

}  // namespace tailwave
