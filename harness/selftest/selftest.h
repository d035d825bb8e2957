#pragma once

#include <string>
#include <vector>

#include "compile/artifact.h"
#include "core/check.h"
#include "core/table.h"
#include "measure/worker.h"
#include "selftest/checks.h"

namespace tailwave {

// All self-tests, one after the other, on a worker with selftest_tasks(). What a device refuses fails the self-test
// at hand, as a row with the reason, and the next one begins anew. `device_argument` is what --device takes for this
// device. Throws Cancelled.
std::vector<Check> run_selftest(Worker& worker, const Artifact& kernels, const SelftestSettings& settings,
                                const std::string& device_argument);

Tasks selftest_tasks();

// No row failed.
bool all_passed(const std::vector<Check>& checks);

// For a terminal: "pass", "FAIL", or nothing where there is no verdict.
Table selftest_table(const std::vector<Check>& checks);

}  // namespace tailwave
