#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/table.h"
#include "report/regimes.h"

namespace tailwave {

// What regimes say of a winner, for people.

// Without the system and the problem, which is that of the answer: "shared/BLOCK_SIZE:128".
std::string short_name(const RegimeAnswer& answer, const std::string& configuration);
// " with N 4096": the quantities that the answers for one experiment differ in; "" for one answer.
std::string problem_words(const RegimeAnswer& answer, const std::vector<RegimeAnswer>& all);

// How names and words of others are written: for a terminal, or as Markdown.
struct RegimeWords {
  std::function<std::string(const std::string& configuration)> called;
  std::function<std::string(const std::string& words)> text = [](const std::string& words) { return words; };
};

// For people, a few sentences.
std::string answer_text(const RegimeAnswer& answer, const RegimeWords& words);

// For people, a row for each regime: its name, how it measures, the winner's median, its standing there ("best",
// "tied", "unclear", "clearly slower" or an outcome), how many times the best's that is with the 95 % interval, another
// one that is the best there, and the others that are tied with that.
Table shown_regimes(const RegimeAnswer& answer, const RegimeWords& words);

}  // namespace tailwave
