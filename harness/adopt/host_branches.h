#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "adopt/lexemes.h"

namespace tailwave {

// An if with all its else ifs, a switch, or c ? a : b: one of its arms is run.
struct HostChoice {
  struct Arm {
    std::vector<LexemeSpan> conditions;  // of a switch its labels; of others one
    bool otherwise = false;              // else, default
  };
  std::size_t at = 0;  // in the source
  LexemeSpan subject;  // of a switch; of others empty
  std::vector<Arm> arms;
};

// One of some arms of a choice is run. What follows "if (c) return;" is in the arm that the if does not have.
struct HostBranch {
  std::size_t choice = 0;  // which of all
  std::set<std::size_t> arms;
};

// Which launches of a source are run only where others are not.
class HostBranches {
 public:
  explicit HostBranches(LexemeSpan all);  // which has to outlive it

  [[nodiscard]] const std::vector<HostChoice>& choices() const { return choices_; }
  // Of the launch whose "<<<" stands there, outermost first.
  [[nodiscard]] const std::vector<HostBranch>& of(std::size_t launch) const;

 private:
  // How control leaves a statement: behind it, to the end of a loop or switch, or further.
  enum class Leaves { no, breaks, returns };
  struct Statement {
    std::size_t next = 0;
    Leaves leaves = Leaves::no;
    std::vector<HostBranch> rest;  // what follows in the same block is in that
  };

  Leaves read_block(std::size_t begin, std::size_t end);
  Statement read_statement(std::size_t begin, std::size_t end);
  Statement read_any_statement(std::size_t begin, std::size_t end);
  Statement read_if(std::size_t begin, std::size_t end);
  Statement read_switch(std::size_t begin, std::size_t end);
  Leaves read_cases(std::size_t choice, std::size_t begin, std::size_t end, std::set<std::size_t>& goes_on);
  Statement read_expression(std::size_t begin, std::size_t end);
  std::size_t read_conditional(std::size_t begin, std::size_t question, std::size_t end);
  Statement read_in_arm(std::size_t choice, std::size_t arm, std::size_t begin, std::size_t end);
  [[nodiscard]] std::string_view text(std::size_t i) const;
  [[nodiscard]] std::size_t close_of(std::size_t open, std::size_t end) const;

  LexemeSpan all_;
  std::vector<HostChoice> choices_;
  std::vector<HostBranch> path_;
  int depth_ = 0;
  std::map<std::size_t, std::vector<HostBranch>> launches_;
};

}  // namespace tailwave
