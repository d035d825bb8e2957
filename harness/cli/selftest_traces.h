#pragma once

#include <vector>

#include "cli/console.h"
#include "cli/session.h"
#include "core/check.h"

namespace tailwave {

// Traces the kernels of selftest/traced on the session's GPU and counts them with CUPTI: a row each, or one that says why
// there are none. In a session of its own, so that no other may be open. Throws Cancelled.
std::vector<Check> check_traces(SessionOptions options, const Console& console);

}  // namespace tailwave
