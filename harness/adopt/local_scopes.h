#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adopt/kernel_text.h"

namespace tailwave {

// A kernel's body in which each variable has a name of its own: where a name is declared again, as by a second loop over i, that
// one and its uses become "i@2".
class LocalScopes {
 public:
  explicit LocalScopes(const KernelText& kernel);  // which has to outlive it
  LocalScopes(const LocalScopes&) = delete;
  LocalScopes& operator=(const LocalScopes&) = delete;
  ~LocalScopes() = default;

  [[nodiscard]] const Lexemes& lexemes() const { return renamed_; }
  // Whether the lexeme there is the name that a declaration gives a variable.
  [[nodiscard]] bool declares(std::size_t place) const { return declarations_.contains(place); }

 private:
  struct Scope {
    std::size_t end = 0;  // the lexeme behind it
    std::map<std::string, std::string_view> names = {};
  };

  [[nodiscard]] std::string_view text(std::size_t i) const;
  [[nodiscard]] std::size_t end_of_statement(std::size_t begin) const;
  [[nodiscard]] bool begins_declaration(std::size_t i) const;
  [[nodiscard]] bool is_declared(std::size_t i);
  void declare(std::size_t i);
  void use(std::size_t i);

  LexemeSpan all_;
  Lexemes renamed_;
  std::deque<std::string> texts_;  // of names that the source does not have
  std::vector<Scope> scopes_;
  std::map<std::string, int> times_;  // that a name is declared
  std::set<std::size_t> declarations_;
  int depth_ = 0;
  int depth_of_declaration_ = -1;  // brackets that are open around the one at hand; -1: none is
};

}  // namespace tailwave
