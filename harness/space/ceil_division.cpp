#include "space/ceil_division.h"

#include <algorithm>
#include <string>
#include <vector>

#include "space/lexer.h"

namespace tailwave {
namespace {

enum class Bracket : unsigned char {
  plain,     // also of min() and max()
  dividend,  // of a ceil_div() that is replaced
  divisor,   // likewise
  opaque,    // of anything else
};

}  // namespace

Expression with_ceil_div_as(std::string_view operation, const Expression& expression) {
  const std::string& text = expression.text();
  const std::vector<Token> tokens = tokenize(text);
  std::vector<Bracket> brackets;  // that are open
  std::string result;
  std::size_t copied = 0;
  const auto replace = [&](const Token& token, std::string_view by) {
    const auto column = static_cast<std::size_t>(token.column);
    result.append(text, copied, column - copied).append(by);
    copied = column + token.word.size();
  };
  auto next = Bracket::plain;
  for (const Token& token : tokens) {
    if (token.word == "(" || token.word == "[") {
      brackets.push_back(token.word == "[" ? Bracket::opaque : next);
      if (next == Bracket::dividend) replace(token, "((");
    } else if (token.word == ")" || token.word == "]") {
      if (brackets.back() == Bracket::divisor) replace(token, "))");
      brackets.pop_back();
    } else if (token.word == "," && !brackets.empty() && brackets.back() == Bracket::dividend) {
      brackets.back() = Bracket::divisor;
      replace(token, ") " + std::string(operation) + " (");
    }
    next = Bracket::plain;
    if (token.kind != Token::Kind::name) continue;
    const bool is_open = std::ranges::all_of(
        brackets, [](Bracket one) { return one == Bracket::plain || one == Bracket::dividend; });
    if (token.word == "ceil_div" && is_open) {
      next = Bracket::dividend;
      replace(token, "");
    } else if (token.word != "min" && token.word != "max") {
      next = Bracket::opaque;
    }
  }
  return Expression::parse(result + text.substr(copied));
}

}  // namespace tailwave
