#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "space/expression.h"
#include "space/lexer.h"
#include "space/program.h"

namespace tailwave {

struct Operator {
  std::string_view symbol;
  Op op;
};

// A place among the tokens of an expression.
class TokenCursor {
 public:
  explicit TokenCursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& current() const { return tokens_[next_]; }
  [[nodiscard]] const Token& after_current() const {
    return tokens_[next_ + 1 < tokens_.size() ? next_ + 1 : next_];
  }
  [[nodiscard]] bool at_end() const { return current().kind == Token::Kind::end; }
  const Token& take() { return tokens_[next_++]; }
  [[nodiscard]] std::size_t place() const { return next_; }
  void go_to(std::size_t place) { next_ = place; }

  [[nodiscard]] static bool is(const Token& token, std::string_view word) {
    return (token.kind == Token::Kind::symbol || token.kind == Token::Kind::name) && token.word == word;
  }
  [[nodiscard]] bool at(std::string_view word) const { return is(current(), word); }

  // The column of the word if it comes next, and moves past it.
  std::optional<int> accept(std::string_view word) {
    if (!at(word)) return std::nullopt;
    return tokens_[next_++].column;
  }

  template <std::size_t size>
  const Operator* accept_any(const std::array<Operator, size>& operators) {
    for (const Operator& candidate : operators) {
      if (accept(candidate.symbol)) return &candidate;
    }
    return nullptr;
  }

  void expect(std::string_view word) {
    if (!accept(word)) fail("'" + std::string(word) + "'");
  }

  // The place of the next `word` outside of brackets that open from here on; none before a ',' or a closing one.
  [[nodiscard]] std::optional<std::size_t> find_ahead(std::string_view word) const {
    int depth = 0;
    for (std::size_t i = next_; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (is(token, "(") || is(token, "[")) ++depth;
      if ((is(token, ")") || is(token, "]")) && --depth < 0) return std::nullopt;
      if (depth > 0) continue;
      if (is(token, word)) return i;
      if (is(token, ",")) return std::nullopt;
    }
    return std::nullopt;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const Token& token = current();
    const std::string found = at_end() ? "the end" : "'" + std::string(token.word) + "'";
    throw ExpressionError("expected " + expected + ", found " + found, token.column);
  }

 private:
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

}  // namespace tailwave
