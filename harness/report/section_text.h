#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/study.h"

namespace tailwave {

// Pieces of text that the parts of a device's section share.

// Each as prose() has it.
std::vector<std::string> escaped(std::vector<std::string> cells);

std::string number_or_blank(const std::optional<double>& value);
std::string percent(double share);                               // "12.3 %"
std::string plural(std::size_t count, const std::string& noun);  // "1 row", "2 rows"

// "correct" says that somebody has looked: where nobody could, it is "unverified".
inline constexpr const char* kUnverified = "unverified";
std::string outcome_text(const StudyRow& row);

// The order statistics of fewer samples do not reach 95 %: what is shown then is their range.
bool is_few(const StudyRow& row);
std::string interval_text(const StudyRow& row);

}  // namespace tailwave
