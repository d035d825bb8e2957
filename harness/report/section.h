#pragma once

#include <string>
#include <vector>

#include "report/claims.h"
#include "report/markdown.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// One line: the best configuration of each problem, or of the first and the last of many, with its value, interval and
// samples and how many are tied with it, and how many configurations were correct.
std::string answer(const Study& study, const DeviceStudy& device);

// The part of a page about one device, from its heading on; `charts` (pictures_part) follows the results.
std::string device_section(const Study& study, const DeviceStudy& device, const std::string& charts,
                           Footnotes& notes);

// A table with a column for each device; "" when there is only one.
std::string side_by_side(const Study& study);

// How many verdicts of each kind there are for each device, as a list.
std::string count_verdicts(const std::vector<Verdict>& verdicts);

// Whether a claim's sentence and source stand in the first of its rows alone or, for tables that are sorted, in all.
enum class Sentences { once, in_every_row };

// All claims by system, each with its source and its verdicts.
std::string claims_page(const std::vector<Verdict>& verdicts, Sentences sentences);

// Those of one system as a section, with the sentence in every row; "" without claims.
std::string claims_section(const std::vector<Verdict>& verdicts, const std::string& system);

// The latest self-test of each device as a section of the index; "" when there is none.
std::string selftest_section(Database& database);

}  // namespace tailwave
