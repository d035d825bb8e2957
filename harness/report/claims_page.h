#pragma once

#include <string>
#include <vector>

#include "report/claims.h"

namespace tailwave {

// How many verdicts of each kind there are for each device, as a list.
std::string count_verdicts(const std::vector<ClaimVerdict>& verdicts);

// All claims by system, each with its source and its verdicts (Markdown).
std::string claims_page(const std::vector<ClaimVerdict>& verdicts);

// Those of one system as a section, with the sentence in every row; "" without claims.
std::string claims_section(const std::vector<ClaimVerdict>& verdicts, const std::string& system);

}  // namespace tailwave
