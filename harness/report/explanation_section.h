#pragma once

#include <string>

#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// The part of an experiment's page that says why the best of each problem is faster than its slowest configuration
// (report/explained_pair.h), with a table of the numbers of both; "" where no two were told apart.
std::string explanation_section(Database& database, const Study& study, const DeviceStudy& device);

}  // namespace tailwave
