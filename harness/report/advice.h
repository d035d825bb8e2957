#pragma once

#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "report/advice_record.h"
#include "report/adviser.h"
#include "store/database.h"

namespace tailwave {

struct AllAdvice {
  std::vector<Advice> advice;         // by experiment and device, from the highest gain of a configuration
  std::vector<AdviceRecord> records;  // by experiment, device and source; then those of all experiments
};

// Of :experiment, :system and :device, each of which may be left out. :configuration: a name, or "all" for the
// fastest fifth of each problem and variant, at least 5 and at most 300; without it, the best of each problem. At
// most :limit (5) changes of a configuration, each of another parameter, that gain :least (1.02) or more. :margin:
// what differs by no more counts as tied (0.01).
AllAdvice load_advice(Database& database, const Values& parameters);

// The queries "advice" and "advice_record".
Table advice_table(Database& database, const Values& parameters);
Table advice_record_table(Database& database, const Values& parameters);

}  // namespace tailwave
