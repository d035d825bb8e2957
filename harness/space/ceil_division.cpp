#include "space/ceil_division.h"

#include <string>
#include <vector>

#include "space/lexer.h"

namespace tailwave {

Expression with_ceil_div_as(std::string_view operation, const Expression& expression) {
  const std::string& text = expression.text();
  const std::vector<Token> tokens = tokenize(text);
  std::vector<bool> brackets;  // those that are open: whether of a ceil_div
  std::string result;
  std::size_t copied = 0;
  const auto replace = [&](const Token& token, std::string_view by) {
    const auto column = static_cast<std::size_t>(token.column);
    result.append(text, copied, column - copied).append(by);
    copied = column + token.word.size();
  };
  bool is_call = false;
  for (const Token& token : tokens) {
    if (token.word == "(" || token.word == "[") {
      brackets.push_back(is_call);
      if (is_call) replace(token, "((");
    } else if (token.word == ")" || token.word == "]") {
      if (brackets.back()) replace(token, "))");
      brackets.pop_back();
    } else if (token.word == "," && !brackets.empty() && brackets.back()) {
      replace(token, ") " + std::string(operation) + " (");
    }
    is_call = token.kind == Token::Kind::name && token.word == "ceil_div";
    if (is_call) replace(token, "");
  }
  return Expression::parse(result + text.substr(copied));
}

}  // namespace tailwave
