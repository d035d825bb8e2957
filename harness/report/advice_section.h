#pragma once

#include <string>
#include <vector>

#include "report/advice.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// load_advice() of each of these experiments: from the best configurations, and without the records of all.
AllAdvice load_advice_of(Database& database, const std::vector<const Study*>& studies);

// The section "Advice" of a GPU's part of a page: at most three changes, each of another parameter, by gain, or one
// line that nothing is known; and how often such advice was right in this experiment. "" for other devices, and where
// nothing has a time.
std::string advice_section(const Study& study, const DeviceStudy& device, const AllAdvice& all);

// The part of the index that says how often advice was right in all experiments; "" where none was judged.
std::string advice_totals(const AllAdvice& all);

}  // namespace tailwave
