#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "adopt/lexemes.h"

namespace tailwave {

// Where the host's code changes what variables were declared with or assigned: ++, --, +=, "std::cin >> n", a call that gets
// the address. The steps of a for are none: what it counts has its first value in the first round.
class ChangedVariables {
 public:
  ChangedVariables() = default;
  explicit ChangedVariables(LexemeSpan all);  // which has to outlive it

  struct Change {
    std::size_t at = 0;
    bool is_read = false;  // all of it, by >> or a function, perhaps of a program's arguments
  };
  // Of a name, ordered. Members have their whole name: "box.width".
  [[nodiscard]] const std::vector<Change>& changes_of(const std::string& name) const;

 private:
  [[nodiscard]] std::size_t behind_name(std::size_t begin) const;
  void read_arguments(std::size_t call, std::size_t close);
  void note(std::size_t begin, std::size_t end, bool is_read);
  [[nodiscard]] bool is_read_into(std::size_t name) const;

  LexemeSpan all_;
  std::map<std::string, std::vector<Change>> changes_;
};

}  // namespace tailwave
