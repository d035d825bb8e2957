#include <algorithm>

#include "adopt/host_passed.h"
#include "adopt/host_text.h"

namespace tailwave {

const HostText::Definition* HostText::find(const std::string& name, std::size_t place) const {
  const auto all = definitions_.find(name);
  if (all == definitions_.end()) return nullptr;
  const std::size_t function = functions_.at(place);
  const Definition* global = nullptr;
  const Definition* local = nullptr;
  for (const Definition& each : all->second) {
    const bool has_value = has_any_value(each);
    if (each.function == 0 && (global == nullptr || has_value)) global = &each;
    const bool better = local == nullptr || has_value || !has_any_value(*local);
    if (each.function == function && function != 0 && each.at < place && better) local = &each;
  }
  return local != nullptr && (has_any_value(*local) || global == nullptr) ? local : global;
}

std::optional<CTerm> HostText::definition(const std::string& name, std::size_t place) const {
  const Definition* found = find(name, place);
  return found == nullptr ? std::nullopt : found->value;
}

std::vector<LexemeSpan> HostText::list_of(const std::string& name, std::size_t place) const {
  const Definition* found = find(name, place);
  return found == nullptr ? std::vector<LexemeSpan>() : found->list;
}

std::string HostText::type_of(const std::string& name, std::size_t place) const {
  const auto all = definitions_.find(name);
  if (all == definitions_.end()) return "";
  const std::size_t function = functions_.at(place);
  for (const Definition& each : all->second)
    if (!each.type.empty() && (each.function == function || each.function == 0)) return each.type;
  return "";
}

std::string HostText::own_name(const std::string& name, std::size_t place) const {
  const auto is_same = [](const Definition& a, const Definition& b) {
    return a.value == b.value &&
           std::equal(a.list.begin(), a.list.end(), b.list.begin(), b.list.end(),
                      [](LexemeSpan x, LexemeSpan y) { return joined(x) == joined(y); });
  };
  const auto all = definitions_.find(definitions_.contains(name) ? name : name.substr(0, name.find('.')));
  const std::size_t function = functions_.at(place);
  if (all == definitions_.end() || function == 0) return name;
  std::vector<const Definition*> local;
  const Definition* own = nullptr;
  for (const Definition& each : all->second) {
    if (each.function == 0 || !has_any_value(each)) continue;
    local.push_back(&each);
    if (each.function == function && own == nullptr) own = &each;
  }
  if (own == nullptr) return name;
  const auto first =
      std::find_if(local.begin(), local.end(), [&](const Definition* each) { return is_same(*each, *own); });
  const std::size_t owner = (*first)->function;
  return owner == local.front()->function ? name : name + "@" + std::to_string(owner);
}

bool HostText::is_lambda(LexemeSpan argument) const {
  if (argument.empty()) return false;
  if (argument[0].text == "[") return true;
  for (std::size_t i = 0; argument.size() == 1 && i + 2 < all_.size(); ++i)
    if (all_[i].text == argument[0].text && all_[i + 1].text == "=" && all_[i + 2].text == "[") return true;
  return false;
}

std::optional<HostText::Located> HostText::nearest(const LocatedByName& all, const std::string& name,
                                                   std::size_t place) const {
  const auto found = all.find(name);
  if (found == all.end() || found->second.empty()) return std::nullopt;
  for (const Located& each : found->second)
    if (functions_.at(each.at) == functions_.at(place)) return each;
  return found->second.front();
}

std::optional<HostText::Located> HostText::bytes_of(const std::string& pointer, std::size_t place) const {
  const std::string array = pointer.substr(0, pointer.rfind('[') + 1);
  if (auto own = nearest(bytes_, pointer, place); own || array.empty()) return own;
  // d[i] of a loop, for d[1]
  const auto found = std::find_if(bytes_.begin(), bytes_.end(),
                                  [&](const auto& each) { return each.first.starts_with(array); });
  return found == bytes_.end() ? std::nullopt : nearest(bytes_, found->first, place);
}

std::optional<HostText::Located> HostText::elements_of(const std::string& vector, std::size_t place) const {
  return nearest(elements_, vector, place);
}

std::optional<HostFunctions::Passed> HostText::argument_for(const std::string& name,
                                                            std::size_t place) const {
  const Definition* own = find(name, place);
  if (own != nullptr && own->function != 0 && has_any_value(*own)) return std::nullopt;
  return functions_.passed_for(name, place);
}

std::optional<HostText::Located> HostText::passed_for(const std::string& name, std::size_t place) const {
  const auto passed = argument_for(name, place);
  const auto term = passed ? parse_term(passed->argument) : std::nullopt;
  return term ? std::optional(Located{*term, passed->at}) : std::nullopt;
}

HostText::Variable HostText::origin_of(const std::string& name, std::size_t place) const {
  constexpr int kDeepest = 8;  // functions that call each other
  const std::size_t dot = std::min(name.find('.'), name.size());
  Variable variable{name.substr(0, dot), place};
  for (int step = 0; step < kDeepest; ++step) {
    const auto passed = argument_for(variable.name, variable.place);
    std::string own = passed ? variable_passed(*passed) : "";
    if (own.empty()) break;
    variable = {std::move(own), passed->at};
  }
  variable.name += name.substr(dot);
  return variable;
}

}  // namespace tailwave
