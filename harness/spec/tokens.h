#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tailwave {

// A piece of a text, which has to outlive it: from `begin` to before `end`.
struct SourceToken {
  std::size_t begin = 0, end = 0;
  std::string_view text;
};

struct Tokens {
  std::vector<SourceToken> tokens;      // words and single punctuation characters; a literal is one token
  std::vector<SourceToken> directives;  // preprocessor lines, whole, with the lines that continue them
};

template <class Words>
bool among(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Of the character at `place` of a text, from 1 on.
int line_at(std::string_view text, std::size_t place);

// Of C++ text; comments and white space are none.
Tokens tokens_of(std::string_view text);

}  // namespace tailwave
