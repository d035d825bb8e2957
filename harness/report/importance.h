#pragma once

#include <string>

#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// With fewer timed configurations of a problem and variant, the share of variance that a parameter explains says little.
inline constexpr std::size_t kFewestForImportance = 20;

// The section "Which parameters matter" of a device's part of a page: what explains most of the variance of each problem
// and variant (tables/importance.sql); "" where none has enough configurations or two parameters that vary.
std::string importance_section(Database& database, const Study& study, const DeviceStudy& device);

}  // namespace tailwave
