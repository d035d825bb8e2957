#include "adopt/pointer_places.h"

#include <array>

#include "spec/tokens.h"

namespace tailwave {
namespace {

CTerm number_of_elements(long long number) {
  return {CTerm::Kind::number, std::to_string(number), {}};
}

CTerm two_terms(const char* op, CTerm left, CTerm right) {
  return {CTerm::Kind::binary, op, {std::move(left), std::move(right)}};
}

}  // namespace

PointerPlaces::PointerPlaces(LexemeSpan lexemes, const std::vector<OutlineParameter>& pointers,
                             const KernelBody& body, const TypeAliases& aliases)
    : lexemes_(lexemes), body_(body), aliases_(aliases) {
  for (const OutlineParameter& parameter : pointers) {
    if (!parameter.pointer) continue;
    const auto type = element_named(parameter.type_name, aliases);
    element_bytes_[parameter.name] = type ? static_cast<int>(size_bytes(type->scalar)) * type->lanes : 0;
    places_[parameter.name] = {parameter.name, number_of_elements(0), 1};
  }
  for (auto& [name, place] : places_)
    if (moves(name)) place.index.reset();
  add_locals();
  add_assigned();
}

// The b of "a = b" where a is the name at `at`, be it declared there.
std::optional<CTerm> PointerPlaces::assigned_at(std::size_t at) const {
  if (text(at + 1) != "=" || (at > 0 && (text(at - 1) == "." || text(at - 1) == "->"))) return std::nullopt;
  const bool writes = at > 0 && text(at - 1) == "*" && (at == 1 || !is_identifier(text(at - 2)));  // *a = b
  const auto value = writes ? std::nullopt : parse_leading_term(lexemes_.subspan(at + 2));
  return value ? std::optional(value->term) : std::nullopt;
}

// Whether it leads elsewhere later; to exchange it for another pointer moves it to that one's begin.
bool PointerPlaces::moves(const std::string& name) const {
  const auto local = body_.locals.find(name);
  if (local == body_.locals.end() || !local->second.changes) return false;
  for (std::size_t i = 0; i < lexemes_.size(); ++i) {
    if (text(i) != name) continue;
    const std::string_view next = text(i + 1), before = i > 0 ? text(i - 1) : std::string_view();
    const bool steps = next == "++" || next == "--" || before == "++" || before == "--";
    if (steps || among(next, kCompoundAssignments)) return true;
    const auto value = assigned_at(i);
    const bool is_whole = value && value->kind == CTerm::Kind::name && is_whole_parameter(value->text, 0);
    if (next == "=" && before != "*" && !is_whole) return true;
  }
  return false;
}

// Whether it is a parameter, or declared to be one.
bool PointerPlaces::is_whole_parameter(const std::string& name, int depth) const {
  constexpr int kDeepest = 4;  // locals made of locals
  if (element_bytes_.contains(name)) return true;
  const auto local = body_.locals.find(name);
  return depth < kDeepest && local != body_.locals.end() && local->second.first &&
         local->second.first->kind == CTerm::Kind::name &&
         is_whole_parameter(local->second.first->text, depth + 1);
}

std::set<std::string> PointerPlaces::others(const std::string& name) const {
  const auto found = assigned_.find(name);
  return found == assigned_.end() ? std::set<std::string>() : found->second;
}

std::vector<std::string> PointerPlaces::members_of(const std::string& name) const {
  std::vector<std::string> members;
  for (const auto& [pointer, bytes] : element_bytes_)
    if (pointer.starts_with(name + ".")) members.push_back(pointer);
  return members;
}

// Pointers that are exchanged lead to each other's memory.
void PointerPlaces::add_assigned() {
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < lexemes_.size(); ++i) {
      const std::string name(text(i));
      const auto value = is_pointer(name) ? assigned_at(i) : std::nullopt;
      if (!value) continue;
      std::set<std::string>& own = assigned_[name];
      const std::size_t before = own.size();
      add_pointers_of(*value, own);
      grows = grows || own.size() > before;
    }
  }
}

void PointerPlaces::add_pointers_of(const CTerm& term, std::set<std::string>& pointers) const {
  if (term.kind == CTerm::Kind::conditional) {
    add_pointers_of(term.parts[1], pointers);
    add_pointers_of(term.parts[2], pointers);
    return;
  }
  const auto place = place_of(term);
  if (!place) return;
  pointers.insert(place->pointer);
  for_each_term(term, [&](const CTerm& part) {
    const auto others = part.kind == CTerm::Kind::name ? assigned_.find(part.text) : assigned_.end();
    if (others != assigned_.end()) pointers.insert(others->second.begin(), others->second.end());
  });
}

// Locals that are made of others need another round.
void PointerPlaces::add_locals() {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round)
    for (const auto& [name, local] : body_.locals) {
      if (!local.first || is_pointer(name)) continue;
      auto place = place_of(*local.first);
      if (!place) continue;
      if (moves(name)) place->index.reset();
      places_[name] = *place;
    }
}

std::string_view PointerPlaces::text(std::size_t i) const {
  return i < lexemes_.size() ? lexemes_[i].text : std::string_view();
}

std::optional<PointerPlace> PointerPlaces::place_of(const CTerm& term) const {
  if (term.kind == CTerm::Kind::name) {
    const auto found = places_.find(term.text);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }
  if (term.kind == CTerm::Kind::binary && term.text == "+") {
    if (auto place = moved(term.parts[0], term.parts[1])) return place;
    return moved(term.parts[1], term.parts[0]);
  }
  if (term.kind == CTerm::Kind::unary && term.text == "&" && term.parts[0].kind == CTerm::Kind::index)
    return moved(term.parts[0].parts[0], term.parts[0].parts[1]);
  if (term.kind == CTerm::Kind::call && term.parts.size() == 1) return cast(term);
  if (term.kind == CTerm::Kind::conditional) {
    auto place = place_of(term.parts[1]);
    if (!place) place = place_of(term.parts[2]);
    const bool whole = term.parts[1].kind == CTerm::Kind::name && term.parts[2].kind == CTerm::Kind::name;
    if (place && !whole) place->index.reset();
    return place;
  }
  return std::nullopt;
}

std::optional<PointerPlace> PointerPlaces::moved(const CTerm& pointer, const CTerm& by) const {
  auto place = place_of(pointer);
  if (!place) return std::nullopt;
  if (place->index) {
    CTerm step = place->scale == 1 ? by : two_terms("*", by, number_of_elements(place->scale));
    place->index = two_terms("+", *place->index, std::move(step));
  }
  return place;
}

std::optional<PointerPlace> PointerPlaces::cast(const CTerm& term) const {
  auto place = place_of(term.parts[0]);
  if (!place || !term.text.ends_with("*")) return std::nullopt;
  std::string type = term.text.substr(0, term.text.find('*'));
  if (type.ends_with(' ')) type.pop_back();
  const auto element = element_named(type, aliases_);
  const int own = element_bytes_.at(place->pointer);
  const int other = element ? static_cast<int>(size_bytes(element->scalar)) * element->lanes : 0;
  if (own > 0 && other >= own && other % own == 0)
    place->scale = other / own;
  else
    place->index.reset();
  return place;
}

}  // namespace tailwave
