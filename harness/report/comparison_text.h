#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/table.h"
#include "report/comparison.h"

namespace tailwave {

// What a comparison looks like: a line, a table, a page.

// "of 6 configurations 1 failed, 2 slower, 3 same"; what is not comparable with the reasons.
std::string summary_line(const SideComparison& comparison);
// The same of these rows alone.
std::string count_line(const std::vector<ComparedRow>& rows);

// A row for each configuration: experiment, configuration, B_is, us_A, us_B, ratio, low, high, outcome, why (it
// is not comparable). `most`: only the first so many.
Table comparison_table(const SideComparison& comparison, std::size_t most);

// What the first `most` rows leave out: "The first 40 of 90; --all shows all.\n", "3 only in A, 1 only in B; --all shows
// them.\n", both, or "".
std::string left_out_text(const SideComparison& comparison, std::size_t most);

// A page for a pull request: sides, summary, differences of the environment, rows.
std::string comparison_page(const SideComparison& comparison, std::size_t most);

}  // namespace tailwave
