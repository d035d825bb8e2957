#include "space/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "space/expression.h"

namespace tailwave {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Longer symbols first, so that "**" is not read as two.
constexpr std::array<std::string_view, 18> kSymbols{"**", "//", "<=", ">=", "==", "!=", "<", ">", "[",
                                                    "+",  "-",  "*",  "/",  "%",  "(",  ")", ",", "]"};

struct Foreign {
  std::string_view symbol;
  std::string_view hint;
};
constexpr std::array<Foreign, 11> kForeign{
    {{"<<", "shifts are not part of the language: write 'A * 2 ** B'"},
     {">>", "shifts are not part of the language: write 'A // 2 ** B'"},
     {"&&", "write 'and'"},
     {"||", "write 'or'"},
     {"!", "write 'not'"},
     {"=", "write '==' to compare"},
     {"^", "write '**' for a power"},
     {"?", "write 'A if CONDITION else B'"},
     {"&", "bitwise operators are not part of the language"},
     {"|", "bitwise operators are not part of the language"},
     {"~", "bitwise operators are not part of the language"}}};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (true) {
      while (position_ < text_.size() && is_space(text_[position_])) ++position_;
      tokens.push_back(next());
      if (tokens.back().kind == Token::Kind::end) return tokens;
    }
  }

 private:
  [[nodiscard]] char at(std::size_t position) const {
    return position < text_.size() ? text_[position] : '\0';
  }

  Token make(Token::Kind kind, std::size_t length, Value value = false) {
    Token token{kind, static_cast<int>(position_), text_.substr(position_, length), std::move(value)};
    position_ += length;
    return token;
  }

  Token next() {
    if (position_ >= text_.size()) return make(Token::Kind::end, 0);
    const char c = text_[position_];
    if (is_letter(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)))) return number();
    if (c == '\'' || c == '"') return quoted();
    const std::string_view rest = text_.substr(position_);
    if (rest.starts_with("<<") || rest.starts_with(">>")) fail_foreign(rest);
    for (const std::string_view symbol : kSymbols) {
      if (rest.starts_with(symbol)) return make(Token::Kind::symbol, symbol.size());
    }
    fail_foreign(rest);
  }

  Token name() {
    std::size_t end = position_;
    while (is_letter(at(end)) || is_digit(at(end))) ++end;
    return make(Token::Kind::name, end - position_);
  }

  Token number() {
    std::size_t end = position_;
    while (is_digit(at(end))) ++end;
    bool real = false;
    if (at(end) == '.') {
      real = true;
      do ++end;
      while (is_digit(at(end)));
    }
    if (at(end) == 'e' || at(end) == 'E') {
      const std::size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
      if (is_digit(at(end + 1 + sign))) {
        real = true;
        end += 1 + sign;
        while (is_digit(at(end))) ++end;
      }
    }
    return make(Token::Kind::number, end - position_, real ? parse<double>(end) : parse<std::int64_t>(end));
  }

  template <class Number>
  [[nodiscard]] Value parse(std::size_t end) const {
    Number number{};
    const auto result = std::from_chars(text_.data() + position_, text_.data() + end, number);
    if (result.ec != std::errc{}) {
      throw ExpressionError("number does not fit 64 bits", static_cast<int>(position_));
    }
    return number;
  }

  Token quoted() {
    const std::size_t close = text_.find(text_[position_], position_ + 1);
    if (close == std::string_view::npos) {
      throw ExpressionError("text without its closing quote", static_cast<int>(position_));
    }
    return make(Token::Kind::text, close + 1 - position_,
                std::string(text_.substr(position_ + 1, close - position_ - 1)));
  }

  [[noreturn]] void fail_foreign(std::string_view rest) const {
    const int column = static_cast<int>(position_);
    for (const Foreign& foreign : kForeign) {
      if (rest.starts_with(foreign.symbol)) {
        throw ExpressionError("unexpected '" + std::string(foreign.symbol) + "'", column,
                              std::string(foreign.hint));
      }
    }
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte < 0x20 || byte >= 0x7f) throw ExpressionError("unexpected character", column);
    throw ExpressionError("unexpected '" + std::string(1, rest.front()) + "'", column);
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  return Lexer(text).run();
}

}  // namespace tailwave
