#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// A word, number, literal or operator of a C++ text, which has to outlive it; `begin` and `end` are its offsets there.
struct Lexeme {
  std::string_view text;
  std::size_t begin = 0, end = 0;
};
using Lexemes = std::vector<Lexeme>;
using LexemeSpan = std::span<const Lexeme>;

// Operators and numbers are whole ("<=", "1.5e-3f"), and so are the "<<<" and ">>>" of a launch. Preprocessor lines are
// left out.
Lexemes lexemes_of(std::string_view text);

// Of the bracket that closes the one at `open`, be it (, [ or {; size() where nothing does.
std::size_t closing(LexemeSpan lexemes, std::size_t open);

// The parts between commas that stand in no bracket; none of nothing.
std::vector<LexemeSpan> split_at_commas(LexemeSpan lexemes);

// As people write it: "const float* x".
std::string joined(LexemeSpan lexemes);

bool is_identifier(std::string_view text);

// Whether the word stands in the text.
bool has_word(std::string_view text, std::string_view word);

// A name as macros have them: "TILE" for "tile".
std::string in_capitals(std::string_view name);

}  // namespace tailwave
