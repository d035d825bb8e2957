#pragma once

#include <string>

#include "report/explanation_draft.h"

namespace tailwave {

// "smsp__warps_issue_stalled_wait.sum" of "wait".
std::string stall_metric(const std::string& reason);

// What counters of both say, as report/explanation.h has it.
void explain_counters(ExplanationDraft& draft);

}  // namespace tailwave
