#include "adopt/host_sizes.h"

#include <algorithm>

namespace tailwave {
namespace {

constexpr std::int64_t kMostOfAVector = 8;  // elements: what divides by a number up to that is no size

const CTerm& without_casts(const CTerm& term) {
  const CTerm* inner = &term;
  while (inner->kind == CTerm::Kind::call && inner->parts.size() == 1 && element_named(inner->text))
    inner = inner->parts.data();
  return *inner;
}

}  // namespace

HostTerm HostSizes::source_of(const CTerm& term, std::size_t place) const {
  HostTerm source{.term = without_casts(term), .at = place, .variable = ""};
  if (const std::string element = element_name(source.term); !element.empty())
    source.term = CTerm{CTerm::Kind::name, element, {}};
  constexpr int kDeepest = 8;  // names for names
  for (int step = 0; step < kDeepest && source.term.kind == CTerm::Kind::name; ++step) {
    const auto [name, own_place] = draft_.host.origin_of(source.term.text, source.at);
    source.term.text = name;
    source.at = own_place;
    source.variable = draft_.host.own_name(name, own_place);
    if (draft_.host_names.contains(source.variable) || draft_.parameter(name) != nullptr) break;
    const auto passed = draft_.host.passed_for(name, source.at);
    const auto definition =
        passed ? std::optional(passed->term) : HostScope(draft_, source.at, false).definition_of(name);
    if (!definition) break;
    const CTerm& next = without_casts(*definition);
    if (next.kind == CTerm::Kind::name && next.text == name) break;
    source.term = CTerm(next);
    if (passed) source.at = passed->at;
  }
  return source;
}

bool HostSizes::has_sizes(const HostTerm& source) {
  if (source.term.kind == CTerm::Kind::name) return false;
  const auto quantities = draft_.quantities;
  const auto names = draft_.host_names;
  HostScope scope(draft_, source.at, true);
  const auto whole = to_polynomial(source.term, scope);
  bool found = whole && !whole->is_number();
  for_each_term(source.term, [&](const CTerm& part) {
    const auto value = part.kind == CTerm::Kind::name ? scope.meaning(part.text) : std::nullopt;
    found = found || (value && !value->is_number());
  });
  draft_.quantities = quantities;
  draft_.host_names = names;
  return found;
}

std::optional<Polynomial> HostSizes::derived(const HostTerm& source) {
  const auto quantities = draft_.quantities;
  const auto names = draft_.host_names;
  HostScope scope(draft_, source.at, true);
  if (auto value = to_polynomial(source.term, scope)) return value;
  draft_.quantities = quantities;
  draft_.host_names = names;
  return std::nullopt;
}

std::optional<Polynomial> HostSizes::quotient(const HostTerm& source, const std::string& name,
                                              ScalarType type) {
  const CTerm& term = source.term;
  if (term.kind != CTerm::Kind::binary || (term.text != "/" && term.text != ">>")) return std::nullopt;
  const HostTerm whole = source_of(term.parts[0], source.at);
  HostScope scope(draft_, whole.at, false);
  const auto value = to_polynomial(whole.term, scope);
  const bool is_free = !whole.variable.empty() && draft_.macro(whole.variable) == nullptr &&
                       !draft_.host_names.contains(whole.variable) &&
                       !draft_.is_constant_of_code(whole.variable) && !has_sizes(whole);
  if (!is_free || !value || !value->is_number()) return std::nullopt;
  const auto by = divisor(term.parts[1], term.text, source.at);
  const std::int64_t number = by ? by->value(draft_.defaults()).value_or(0) : 0;
  if (number < 2 || value->number() < number || value->number() % number != 0) return std::nullopt;
  const Polynomial own = Polynomial::factor(draft_.free_name(name));
  draft_.quantities.push_back(
      {.name = own.text(), .type = type, .value = value->number() / number, .is_size = true});
  draft_.host_names[whole.variable] = own * *by;
  return own;
}

// A variable that nothing else asks for and that is as small as a vector is a number of the code.
std::optional<Polynomial> HostSizes::divisor(const CTerm& term, const std::string& op, std::size_t place) {
  const HostTerm source = source_of(term, place);
  HostScope numbers(draft_, source.at, false), sizes(draft_, place, true);
  auto value = to_polynomial(source.term, numbers);
  if (op == ">>") {
    constexpr std::int64_t kMostBits = 40;
    const bool is_shift = value && value->is_number() && value->number() > 0 && value->number() <= kMostBits;
    return is_shift ? std::optional(Polynomial(std::int64_t{1} << value->number())) : std::nullopt;
  }
  if (value && value->is_number() && value->number() <= kMostOfAVector) {
    if (!source.variable.empty()) draft_.host_names.emplace(source.variable, *value);
    return value;
  }
  return to_polynomial(term, sizes);
}

}  // namespace tailwave
