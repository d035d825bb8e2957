#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace tailwave {

struct Token {
  enum class Kind { number, text, name, symbol, end } kind = Kind::end;
  int column = 0;         // 0-based offset into the expression
  std::string_view word;  // as written; refers to the expression's text
  Value value;            // of a number or a text
};

// The words of an expression and a last token of kind `end`. Throws ExpressionError for a character that the
// language does not know, a number that does not fit, and a text without its closing quote.
std::vector<Token> tokenize(std::string_view text);

}  // namespace tailwave
