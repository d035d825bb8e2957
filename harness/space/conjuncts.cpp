#include "space/conjuncts.h"

#include <string_view>

#include "space/lexer.h"

namespace tailwave {

std::vector<Expression> conjuncts(const Expression& expression) {
  const std::string_view text = expression.text();
  std::vector<Expression> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (const Token& token : tokenize(text)) {
    const bool is_name = token.kind == Token::Kind::name;
    if (token.word == "(" || token.word == "[") ++depth;
    if (token.word == ")" || token.word == "]") --depth;
    const bool ends = token.kind == Token::Kind::end;
    if (depth > 0 || !(is_name || ends)) continue;
    // Both bind less than `and` does.
    if (token.word == "or" || token.word == "if") return {expression};
    if (!ends && token.word != "and") continue;
    if (ends && parts.empty()) return {expression};
    const auto end = static_cast<std::size_t>(token.column);
    parts.push_back(Expression::parse(text.substr(begin, end - begin)));
    begin = end + token.word.size();
  }
  return parts;
}

}  // namespace tailwave
