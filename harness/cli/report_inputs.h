#pragma once

#include <string>

#include "report/report.h"

namespace tailwave {

// A hash of all that decides what a report says: this program, the database's files byte by byte, the project's folder analysis/, what
// is asked for, and what draws. Computed before the database is read: what is written to it meanwhile gives another hash
// the next time.
std::string report_inputs(const Database& database, const ReportOptions& options);

}  // namespace tailwave
