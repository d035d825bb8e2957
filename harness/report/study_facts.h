#pragma once

#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// What stands beside the rows of a device: what they were verified with, which variants are made for some problems only,
// published figures, the latest run's environment, and how much a search chose them from.
void load_facts(Database& database, const Study& study, DeviceStudy& device);

}  // namespace tailwave
