#pragma once

#include <string>
#include <vector>

#include "report/claims.h"

namespace tailwave {

// How many verdicts of each kind there are for each device, as a list.
std::string count_verdicts(const std::vector<ClaimVerdict>& verdicts);

// Whether a claim's sentence and source stand in the first of its rows alone or, for tables that are sorted, in all.
enum class Sentences { once, in_every_row };

// All claims by system, each with its source and its verdicts.
std::string claims_page(const std::vector<ClaimVerdict>& verdicts, Sentences sentences);

// Those of one system as a section, with the sentence in every row; "" without claims.
std::string claims_section(const std::vector<ClaimVerdict>& verdicts, const std::string& system);

}  // namespace tailwave
