#include "adopt/lexemes.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 25> kOperators{
    "<<<", ">>>", "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "++", "--", "->", "::", "##"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hexadecimal(std::string_view number) {
  return number.starts_with("0x") || number.starts_with("0X");
}

class Joiner {
 public:
  Joiner(std::string_view text, const std::vector<SourceToken>& tokens) : text_(text), tokens_(tokens) {}

  Lexemes join() {
    Lexemes lexemes;
    while (at_ < tokens_.size()) {
      const std::size_t begin = tokens_[at_].begin;
      const std::size_t end = begins_number() ? end_of_number() : end_of_operator();
      lexemes.push_back({text_.substr(begin, end - begin), begin, end});
    }
    return lexemes;
  }

 private:
  [[nodiscard]] bool touches(std::size_t next) const {
    return next < tokens_.size() && tokens_[next].begin == tokens_[next - 1].end;
  }
  [[nodiscard]] bool begins_number() const {
    const std::string_view word = tokens_[at_].text;
    return is_digit(word[0]) || (word == "." && touches(at_ + 1) && is_digit(tokens_[at_ + 1].text[0]));
  }

  // Over the '.' and the sign of an exponent, which are tokens of their own.
  std::size_t end_of_number() {
    const std::size_t first = at_++;
    while (touches(at_)) {
      const std::string_view last = tokens_[at_ - 1].text, next = tokens_[at_].text;
      const bool exponent =
          !is_hexadecimal(tokens_[first].text) && (last.back() == 'e' || last.back() == 'E');
      const bool sign = (next == "+" || next == "-") && exponent;
      const bool digits = last == "." && (is_digit(next[0]) || next == "f" || next == "F" || next[0] == 'e');
      const bool after_sign = (last == "+" || last == "-") && is_digit(next[0]);
      if (next != "." && !sign && !digits && !after_sign) break;
      ++at_;
    }
    return tokens_[at_ - 1].end;
  }

  std::size_t end_of_operator() {
    for (const std::string_view each : kOperators) {
      if (!text_.substr(tokens_[at_].begin).starts_with(each)) continue;
      at_ += each.size();  // punctuation is one token a character
      return tokens_[at_ - 1].end;
    }
    return tokens_[at_++].end;
  }

  std::string_view text_;
  const std::vector<SourceToken>& tokens_;
  std::size_t at_ = 0;
};

bool opens(std::string_view text) {
  return text == "(" || text == "[" || text == "{";
}
bool closes(std::string_view text) {
  return text == ")" || text == "]" || text == "}";
}

}  // namespace

Lexemes lexemes_of(std::string_view text) {
  return Joiner(text, tokens_of(text).tokens).join();
}

std::size_t closing(LexemeSpan lexemes, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < lexemes.size(); ++i) {
    if (opens(lexemes[i].text)) ++depth;
    if (closes(lexemes[i].text) && --depth == 0) return i;
  }
  return lexemes.size();
}

std::vector<LexemeSpan> split_at_commas(LexemeSpan lexemes) {
  std::vector<LexemeSpan> parts;
  if (lexemes.empty()) return parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    if (opens(lexemes[i].text)) ++depth;
    if (closes(lexemes[i].text)) --depth;
    if (lexemes[i].text != "," || depth != 0) continue;
    parts.push_back(lexemes.subspan(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(lexemes.subspan(begin));
  return parts;
}

std::string joined(LexemeSpan lexemes) {
  std::string text;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    const bool word = is_identifier(lexemes[i].text) || is_digit(lexemes[i].text[0]);
    const bool after_word = i > 0 && (is_identifier(lexemes[i - 1].text) || lexemes[i - 1].text == "*");
    const bool after_comma = i > 0 && lexemes[i - 1].text == ",";
    text += ((word && after_word) || after_comma ? " " : "") + std::string(lexemes[i].text);
  }
  return text;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_') &&
         text.back() != '"' && text.back() != '\'';
}

bool has_word(std::string_view text, std::string_view word) {
  const auto of_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at)
    if ((at == 0 || !of_word(at - 1)) && !of_word(at + word.size())) return true;
  return false;
}

std::string in_capitals(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper;
}

}  // namespace tailwave
