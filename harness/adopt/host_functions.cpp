#include "adopt/host_functions.h"

#include <algorithm>

namespace tailwave {
namespace {

// Of the round bracket that the one at `close` closes; size() for none.
std::size_t opening(LexemeSpan all, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (all[i].text == ")") ++depth;
    if (all[i].text == "(" && --depth == 0) return i;
    if (all[i].text == ";") break;
  }
  return all.size();
}

bool opens_scope_of_names(LexemeSpan all, std::size_t brace) {
  for (std::size_t i = brace; i-- > 0;) {
    const std::string_view text = all[i].text;
    if (text == "namespace" || text == "\"C\"") return true;
    if (!is_identifier(text) && text != "::") return false;
  }
  return false;
}

// "x" of "const float* x = nullptr" and of "int sizes[3]"; empty: it has no name.
std::string name_of_parameter(LexemeSpan parameter) {
  std::size_t end = 0;
  while (end < parameter.size() && parameter[end].text != "=" && parameter[end].text != "[") ++end;
  return end > 1 && is_identifier(parameter[end - 1].text) ? std::string(parameter[end - 1].text) : "";
}

}  // namespace

HostFunctions::HostFunctions(LexemeSpan all) : all_(all) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].text != "{" || opens_scope_of_names(all_, i)) continue;
    const std::size_t close = std::min(closing(all_, i), all_.size() - 1);
    read(i, close);
    i = close;
  }
}

void HostFunctions::read(std::size_t brace, std::size_t close) {
  Function one{.begin = all_[brace].begin, .end = all_[close].end};
  one.body = all_.subspan(brace + 1, close - brace - 1);
  std::size_t end = brace;
  while (end > 0 && is_identifier(all_[end - 1].text)) --end;  // const, noexcept
  const std::size_t open = end > 0 && all_[end - 1].text == ")" ? opening(all_, end - 1) : all_.size();
  if (open < all_.size() && open > 0 && is_identifier(all_[open - 1].text)) {
    one.name = all_[open - 1].text;
    for (const LexemeSpan part : split_at_commas(all_.subspan(open + 1, end - open - 2)))
      one.parameters.push_back(
          {name_of_parameter(part),
           std::any_of(part.begin(), part.end(), [](const Lexeme& each) { return each.text == "*"; })});
    read_templates(open - 1, one);
  }
  functions_.push_back(std::move(one));
}

// Of "template <int A, typename B> void name(".
void HostFunctions::read_templates(std::size_t name, Function& function) const {
  std::size_t begin = name;
  while (begin > 0 && all_[begin - 1].text != ";" && all_[begin - 1].text != "}" &&
         all_[begin - 1].text != "{")
    --begin;
  if (begin + 1 >= name || all_[begin].text != "template" || all_[begin + 1].text != "<") return;
  std::size_t end = begin + 2;
  while (end < name && all_[end].text != ">") ++end;
  for (const LexemeSpan part : split_at_commas(all_.subspan(begin + 2, end - begin - 2)))
    function.templates.push_back({name_of_parameter(part), false});
}

std::size_t HostFunctions::at(std::size_t place) const {
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (functions_[i].begin <= place && place < functions_[i].end) return i + 1;
  return 0;
}

std::optional<HostFunctions::Passed> HostFunctions::passed_for(std::string_view name,
                                                               std::size_t place) const {
  const std::size_t inside = at(place);
  if (inside == 0 || functions_[inside - 1].name.empty()) return std::nullopt;
  const Function& function = functions_[inside - 1];
  for (const bool is_template : {false, true}) {
    const std::vector<Parameter>& all = is_template ? function.templates : function.parameters;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Parameter& each) { return each.name == name; });
    if (found == all.end()) continue;
    for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
      if (all_[i].text != function.name) continue;
      const std::size_t caller = at(all_[i].begin);
      if (caller == 0 || caller == inside) continue;
      if (auto passed = passed_at(i, function, static_cast<std::size_t>(found - all.begin()), is_template))
        return passed;
    }
  }
  return std::nullopt;
}

// Of the call whose name stands there; empty where it is none of that function.
std::optional<HostFunctions::Passed> HostFunctions::passed_at(std::size_t name, const Function& function,
                                                              std::size_t which, bool is_template) const {
  std::size_t open = name + 1;
  std::vector<LexemeSpan> of_template;
  if (all_[open].text == "<") {
    std::size_t end = open;
    while (end < all_.size() && all_[end].text != ">" && all_[end].text != ";") ++end;
    of_template = split_at_commas(all_.subspan(open + 1, end - open - 1));
    open = end + 1;
  }
  if (open >= all_.size() || all_[open].text != "(") return std::nullopt;
  const std::size_t close = closing(all_, open);
  if (close == all_.size()) return std::nullopt;
  const std::vector<LexemeSpan> arguments = split_at_commas(all_.subspan(open + 1, close - open - 1));
  const std::vector<LexemeSpan>& all = is_template ? of_template : arguments;
  if (arguments.size() > function.parameters.size() || which >= all.size()) return std::nullopt;
  return Passed{all[which], all_[name].begin, !is_template && function.parameters[which].is_pointer};
}

std::optional<HostFunctions::Formula> HostFunctions::formula(std::string_view name) const {
  const auto found = std::find_if(functions_.begin(), functions_.end(), [&](const Function& each) {
    return each.name == name && each.body.size() > 2 && each.body.front().text == "return";
  });
  if (found == functions_.end() || found->body.back().text != ";") return std::nullopt;
  Formula formula{{}, found->body.subspan(1, found->body.size() - 2)};
  for (const Parameter& each : found->parameters) formula.parameters.push_back(each.name);
  return formula;
}

}  // namespace tailwave
