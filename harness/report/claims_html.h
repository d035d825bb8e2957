#pragma once

#include <vector>

#include "report/claims.h"
#include "report/html.h"

namespace tailwave {

// The page of claims as HTML: by study and by verdict, a sentence a line, with its source, evidence and explanation folded. A
// claim that one GPU's data decide is not listed again for GPUs without data.
HtmlBody claims_html(const std::vector<ClaimVerdict>& verdicts);

}  // namespace tailwave
