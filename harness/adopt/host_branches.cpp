#include "adopt/host_branches.h"

#include <algorithm>
#include <array>

#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 5> kBeginStatements{"if", "switch", "for", "while", "do"};
constexpr std::array<std::string_view, 3> kReturn{"return", "throw", "goto"};
constexpr std::array<std::string_view, 4> kEnd{"exit", "abort", "_exit", "terminate"};

}  // namespace

HostBranches::HostBranches(LexemeSpan all) : all_(all) {
  read_block(0, all_.size());
}

const std::vector<HostBranch>& HostBranches::of(std::size_t launch) const {
  static const std::vector<HostBranch> kNone;
  const auto found = launches_.find(launch);
  return found == launches_.end() ? kNone : found->second;
}

std::string_view HostBranches::text(std::size_t i) const {
  return i < all_.size() ? all_[i].text : std::string_view();
}

std::size_t HostBranches::close_of(std::size_t open, std::size_t end) const {
  return std::min(open + closing(all_.subspan(open, end - open), 0), end);
}

HostBranches::Leaves HostBranches::read_block(std::size_t begin, std::size_t end) {
  const std::size_t depth = path_.size();
  Leaves leaves = Leaves::no;
  for (std::size_t i = begin; i < end;) {
    Statement one = read_statement(i, end);
    for (HostBranch& each : one.rest) path_.push_back(std::move(each));
    if (leaves == Leaves::no) leaves = one.leaves;
    i = std::max(one.next, i + 1);
  }
  path_.resize(depth);
  return leaves;
}

HostBranches::Statement HostBranches::read_statement(std::size_t begin, std::size_t end) {
  constexpr int kDeepest = 200;  // statements in statements; more is no code that people write
  if (depth_ == kDeepest) return {end, Leaves::no, {}};
  ++depth_;
  Statement read = read_any_statement(begin, end);
  --depth_;
  return read;
}

HostBranches::Statement HostBranches::read_any_statement(std::size_t begin, std::size_t end) {
  const std::string_view word = text(begin);
  if (word == "{") {
    const std::size_t close = close_of(begin, end);
    return {close + 1, read_block(begin + 1, close), {}};
  }
  if (word == "if") return read_if(begin, end);
  if (word == "switch" && text(begin + 1) == "(") return read_switch(begin, end);
  if ((word == "for" || word == "while") && text(begin + 1) == "(")
    return {read_statement(close_of(begin + 1, end) + 1, end).next, Leaves::no, {}};
  if (word == "do") {
    const std::size_t behind = read_statement(begin + 1, end).next;
    return {read_expression(behind + 1, end).next, Leaves::no, {}};
  }
  return read_expression(begin, end);
}

HostBranches::Statement HostBranches::read_in_arm(std::size_t choice, std::size_t arm, std::size_t begin,
                                                  std::size_t end) {
  path_.push_back({choice, {arm}});
  Statement read = read_statement(begin, end);
  path_.pop_back();
  return read;
}

HostBranches::Statement HostBranches::read_if(std::size_t begin, std::size_t end) {
  const std::size_t choice = choices_.size();
  choices_.push_back({.at = all_[begin].begin});
  Statement whole{begin, Leaves::returns, {}};
  std::set<std::size_t> goes_on;
  const auto add = [&](HostChoice::Arm arm, std::size_t from) {
    const std::size_t number = choices_[choice].arms.size();
    choices_[choice].arms.push_back(std::move(arm));
    const Statement read = read_in_arm(choice, number, from, end);
    whole.leaves = std::min(whole.leaves, read.leaves);
    if (read.leaves == Leaves::no) goes_on.insert(number);
    return read.next;
  };
  std::size_t at = begin;
  bool has_else = false;
  while (text(at) == "if" && !has_else) {
    const std::size_t open = text(at + 1) == "constexpr" ? at + 2 : at + 1;
    if (text(open) != "(") return read_expression(begin + 1, end);
    const std::size_t close = close_of(open, end);
    at = add({{all_.subspan(open + 1, close - std::min(close, open + 1))}, false}, close + 1);
    if (at >= end || text(at) != "else") break;
    if (text(++at) == "if") continue;
    has_else = true;
    at = add({{}, true}, at);
  }
  whole.next = at;
  if (!has_else) {
    goes_on.insert(choices_[choice].arms.size());
    choices_[choice].arms.push_back({{}, true});
    whole.leaves = Leaves::no;
  }
  if (goes_on.size() < choices_[choice].arms.size() && !goes_on.empty())
    whole.rest.push_back({choice, std::move(goes_on)});
  return whole;
}

HostBranches::Statement HostBranches::read_switch(std::size_t begin, std::size_t end) {
  const std::size_t close = close_of(begin + 1, end);
  if (text(close + 1) != "{") return read_expression(begin + 1, end);
  const std::size_t choice = choices_.size();
  choices_.push_back({.at = all_[begin].begin, .subject = all_.subspan(begin + 2, close - begin - 2)});
  const std::size_t last = close_of(close + 1, end);
  std::set<std::size_t> goes_on;
  Statement whole{last + 1, read_cases(choice, close + 2, last, goes_on), {}};
  if (goes_on.size() < choices_[choice].arms.size() && !goes_on.empty())
    whole.rest.push_back({choice, std::move(goes_on)});
  return whole;
}

// `goes_on`: the arms behind which the statement after the switch is run.
HostBranches::Leaves HostBranches::read_cases(std::size_t choice, std::size_t begin, std::size_t end,
                                              std::set<std::size_t>& goes_on) {
  const std::size_t depth = path_.size();
  bool has_default = false, is_new = true;
  Leaves leaves = Leaves::no;
  const auto close_arm = [&] {
    path_.resize(depth);
    if (!choices_[choice].arms.empty() && leaves != Leaves::returns)
      goes_on.insert(choices_[choice].arms.size() - 1);
  };
  for (std::size_t i = begin; i < end;) {
    if (text(i) == "case" || text(i) == "default") {
      if (is_new) {
        close_arm();
        path_.push_back({choice, {choices_[choice].arms.size()}});
        choices_[choice].arms.emplace_back();
        leaves = Leaves::no;
      }
      is_new = false;
      std::size_t colon = i;
      while (colon < end && text(colon) != ":") ++colon;
      if (text(i) == "case")
        choices_[choice].arms.back().conditions.push_back(all_.subspan(i + 1, colon - i - 1));
      else
        has_default = choices_[choice].arms.back().otherwise = true;
      i = colon + 1;
      continue;
    }
    Statement one = read_statement(i, end);
    for (HostBranch& each : one.rest) path_.push_back(std::move(each));
    if (leaves == Leaves::no) leaves = one.leaves;
    is_new = true;
    i = std::max(one.next, i + 1);
  }
  close_arm();
  if (!has_default) {
    goes_on.insert(choices_[choice].arms.size());
    choices_[choice].arms.push_back({{}, true});
  }
  return goes_on.empty() ? Leaves::returns : Leaves::no;
}

// To its semicolon, with blocks inside: bodies of functions, classes and lambdas.
HostBranches::Statement HostBranches::read_expression(std::size_t begin, std::size_t end) {
  const bool std_scope = text(begin) == "std" && text(begin + 1) == "::";
  const std::string_view word = text(std_scope ? begin + 2 : begin);
  const bool ends = among(word, kEnd) && text(begin + (std_scope ? 3 : 1)) == "(";
  const Leaves leaves = among(word, kReturn) || ends            ? Leaves::returns
                        : word == "break" || word == "continue" ? Leaves::breaks
                                                                : Leaves::no;
  int depth = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view here = text(i);
    if (here == "<<<") launches_[all_[i].begin] = path_;
    if (here == "(" || here == "[") ++depth;
    if (here == ")" || here == "]") --depth;
    if (here == "?") {
      i = read_conditional(begin, i, end) - 1;
    } else if (here == "{") {
      const std::size_t close = close_of(i, end);
      read_block(i + 1, close);
      i = close;
      const std::string_view next = text(i + 1);
      if (depth <= 0 && (is_identifier(next) || next == "}")) return {i + 1, Leaves::no, {}};
    } else if (depth <= 0 && here == ";") {
      return {i + 1, leaves, {}};
    } else if (depth <= 0 && i > begin && among(here, kBeginStatements)) {
      return {i, leaves, {}};  // a macro in front has no semicolon
    }
  }
  return {end, leaves, {}};
}

// c ? a : b with launches in it; where it ends. The condition is what stands before from the statement's begin on.
std::size_t HostBranches::read_conditional(std::size_t begin, std::size_t question, std::size_t end) {
  int depth = 0, open = 1;
  std::size_t colon = 0, last = question + 1;
  bool launches = false;
  for (; last < end; ++last) {
    const std::string_view here = text(last);
    if (here == "(" || here == "[" || here == "{") ++depth;
    if (here == ")" || here == "]" || here == "}") --depth;
    if (depth < 0 || (depth == 0 && (here == ";" || (here == "," && colon != 0)))) break;
    if (depth == 0 && here == "?") ++open;
    if (depth == 0 && here == ":" && --open == 0 && colon == 0) colon = last;
    launches = launches || here == "<<<";
  }
  if (!launches || colon == 0) return question + 1;
  const std::size_t choice = choices_.size();
  choices_.push_back(
      {.at = all_[begin].begin, .arms = {{{all_.subspan(begin, question - begin)}, false}, {{}, true}}});
  read_in_arm(choice, 0, question + 1, colon);
  read_in_arm(choice, 1, colon + 1, last);
  return last;
}

}  // namespace tailwave
