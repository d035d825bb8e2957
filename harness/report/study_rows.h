#pragma once

#include <cstdint>
#include <vector>

#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// Which rows of current_trial a device's study has, by the names that bind_device() binds.
inline constexpr const char* kOfDevice =
    "system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind";
void bind_device(Statement& statement, const Study& study, const DeviceStudy& device);

// What was measured of each configuration, with its metrics.
void load_rows(Database& database, const Study& study, DeviceStudy& device);
// The rows beside the best of their problem.
void load_standings(Database& database, const Study& study, DeviceStudy& device);

// For a column of a query. Nothing of no row, and where it has no time.
Cell median_in_us(const StudyRow* row);

// Of rows with a value whom they are ranked among; of all where none has one.
std::int64_t least_peers(const std::vector<StudyRow>& rows);

}  // namespace tailwave
