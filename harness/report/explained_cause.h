#pragma once

#include "report/explanation_draft.h"

namespace tailwave {

// Says behind the times what makes most of the difference, as report/explanation.h has it: by counters where they show
// it, else by the launches alone. To be called when all numbers were added.
void lead_with_cause(ExplanationDraft& draft);

}  // namespace tailwave
