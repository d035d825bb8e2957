#include "adopt/changed_variables.h"

#include <algorithm>
#include <array>

#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 10> kAssignments{
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
// They read what they get the address of.
constexpr std::array<std::string_view, 4> kReaders{"fwrite", "memcmp", "write", "send"};

bool is_step(std::string_view text) {
  return text == "++" || text == "--";
}

// Of all addresses that it gets it writes to the first alone.
bool writes_first(std::string_view function) {
  return function.starts_with("cuda") || function.starts_with("mem");
}

}  // namespace

ChangedVariables::ChangedVariables(LexemeSpan all) : all_(all) {
  for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
    if (all_[i].text == "for" && all_[i + 1].text == "(") {
      i = std::min(closing(all_, i + 1), all_.size() - 1);
      continue;
    }
    if (!is_identifier(all_[i].text)) continue;
    const bool is_call = all_[i + 1].text == "(" && !among(all_[i].text, kReaders);
    const std::size_t close = is_call ? closing(all_, i + 1) : all_.size();
    if (close < all_.size()) read_arguments(i, close);
    if (i > 0 && (all_[i - 1].text == "." || all_[i - 1].text == "->")) continue;
    const std::size_t end = behind_name(i);
    const std::string_view before = i == 0 ? "" : all_[i - 1].text,
                           behind = end < all_.size() ? all_[end].text : "";
    const bool is_step_of = is_step(before) || is_step(behind) || among(behind, kAssignments);
    if (is_step_of || is_read_into(i)) note(i, end, !is_step_of);
  }
}

// Of "box.width" and "box->width".
std::size_t ChangedVariables::behind_name(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end + 1 < all_.size() && (all_[end].text == "." || all_[end].text == "->") &&
         is_identifier(all_[end + 1].text))
    end += 2;
  return end;
}

// &n of scanf("%d", &n)
void ChangedVariables::read_arguments(std::size_t call, std::size_t close) {
  const auto arguments = split_at_commas(all_.subspan(call + 2, close - call - 2));
  for (const LexemeSpan each : arguments) {
    const auto at = static_cast<std::size_t>(each.data() - all_.data());
    const bool is_address = each.size() > 1 && each[0].text == "&" && is_identifier(each[1].text) &&
                            behind_name(at + 1) == at + each.size();
    if (is_address) note(at + 1, at + each.size(), true);
    if (writes_first(all_[call].text)) return;
  }
}

void ChangedVariables::note(std::size_t begin, std::size_t end, bool is_read) {
  std::string name;
  for (std::size_t i = begin; i < end; ++i) name += all_[i].text == "->" ? "." : all_[i].text;
  changes_[name].push_back({all_[begin].begin, is_read});
}

// n of "file >> m >> n;" and of "while (file >> n)", where a shift would be a part of something larger.
bool ChangedVariables::is_read_into(std::size_t name) const {
  std::size_t i = name;
  while (i > 1 && all_[i - 1].text == ">>") {
    i -= 2;
    while (i > 1 && (all_[i - 1].text == "." || all_[i - 1].text == "->" || all_[i - 1].text == "::")) i -= 2;
  }
  if (i == name || i == 0) return false;
  const std::string_view before = all_[i - 1].text;
  if (before == ";" || before == "{" || before == "}" || before == ")" || before == "else") return true;
  return before == "(" && i > 1 && (all_[i - 2].text == "while" || all_[i - 2].text == "if");
}

const std::vector<ChangedVariables::Change>& ChangedVariables::changes_of(const std::string& name) const {
  static const std::vector<Change> kNone;
  const auto found = changes_.find(name);
  return found == changes_.end() ? kNone : found->second;
}

}  // namespace tailwave
