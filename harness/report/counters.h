#pragma once

#include <cstdint>
#include <string>

#include "core/table.h"
#include "report/markdown.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// What the counters of one run of counting say, a row for each launch, for a terminal: its time, occupancy, the shares
// of the peak of what was driven hardest, of L2 and of DRAM, the reason of most stalls, and what cannot be true.
// Without these, as where other metrics were chosen, a row for each value.
Table counter_table(Database& database, std::int64_t run);

// The section "Hardware counters" of a device's part of a page: the latest counters of its configurations, and the
// roofline where flop were counted; "" where there are none.
std::string counters_section(Database& database, const Study& study, const DeviceStudy& device,
                             Footnotes& notes);

}  // namespace tailwave
