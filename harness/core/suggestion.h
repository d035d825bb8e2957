#pragma once

#include <string>
#include <vector>

namespace tailwave {

// The hint for a word that is none of the candidates: "did you mean 'x'?", or "one of 'a', 'b'" for up to 6 candidates
// none of which is near, else "".
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

// The same where the candidates may be many, of which the first 12 are named: "did you mean 'x'?", "there are: a, b",
// "there are: a, b, ..., and 50 more: WHERE", or WHERE where there are none.
std::string suggestion_of_many(const std::string& word, const std::vector<std::string>& candidates,
                               const std::string& where);

// "'a', 'b'".
std::string quoted_list(const std::vector<std::string>& words);

}  // namespace tailwave
