#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/claims.h"
#include "report/html.h"
#include "report/study.h"

namespace tailwave {

// The index of a report as HTML: a search field; a card for each study, a system of which something is claimed, with what its main
// experiment asked and came to as a ladder of bars, its best speed-up, its share of the limit, its verdicts as four numbers and its
// experiments folded; then your own experiments, which are those measured here and those of other systems, the newest first; then
// `below` (Markdown). The main experiment is, of those about steps, one with published figures, with the most steps.
// tables: the systems that have a page of their study's tables.
HtmlBody front_page(const std::vector<Study>& studies, const std::vector<ClaimVerdict>& verdicts,
                    const std::set<std::string>& tables, const std::string& below);

}  // namespace tailwave
