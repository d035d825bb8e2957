#pragma once

#include <string>
#include <vector>

namespace tailwave {

// The hint for a word that is none of the candidates: "did you mean 'x'?", or "one of 'a', 'b'" for up to 6 candidates
// none of which is near, else "".
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

// "'a', 'b'".
std::string quoted_list(const std::vector<std::string>& words);

}  // namespace tailwave
