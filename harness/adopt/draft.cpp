#include "adopt/draft.h"

#include <algorithm>
#include <cctype>

#include "adopt/reached_code.h"
#include "spec/names.h"

namespace tailwave {
namespace {

template <class All>
auto* named(All& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// "d_1" of "d[1]", "in_pos" of "in.pos".
std::string as_word(const std::string& variable) {
  std::string word;
  for (const char c : variable) {
    const bool counts = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (counts) word += c;
    if (!counts && !word.empty() && word.back() != '_') word += '_';
  }
  while (!word.empty() && word.back() == '_' && variable.back() != '_') word.pop_back();
  return word;
}

// "Box" of "const struct Box".
std::string last_word(const std::string& type) {
  const std::size_t space = type.rfind(' ');
  return space == std::string::npos ? type : type.substr(space + 1);
}

}  // namespace

bool counts_items(const std::string& name_in_capitals) {
  static constexpr std::array<const char*, 6> kWords{"ITEM",  "UNROLL", "PER_THREAD",
                                                     "WORK_", "COARS",  "VECTOR"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return name_in_capitals.find(word) != std::string::npos; });
}

std::vector<std::int64_t> items_to_try(std::int64_t with) {
  std::vector<std::int64_t> all{1, 2, 4, 8};
  if (std::find(all.begin(), all.end(), with) == all.end())
    all.insert(std::upper_bound(all.begin(), all.end(), with), with);
  return all;
}

const MacroText* Draft::macro(const std::string& name) const {
  return named(macros, name);
}
DraftQuantity* Draft::quantity(const std::string& name) {
  return named(quantities, name);
}
DraftParameter* Draft::parameter(const std::string& name) {
  return named(parameters, name);
}
DraftBuffer* Draft::buffer(const std::string& name) {
  return named(buffers, name);
}

std::string Draft::free_name(const std::string& wanted, bool of_buffer) const {
  std::string base = as_word(wanted);
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0])) != 0) base = "argument" + base;
  for (std::size_t at = 0; (at = base.find("__")) != std::string::npos;) base.erase(at, 1);
  while (base.size() > 1 && base[0] == '_') base.erase(0, 1);
  const auto is_free = [&](const std::string& name) {
    const std::string why = of_buffer ? why_not_a_name(name) : why_not_a_parameter_name(name);
    return why.empty() && named(quantities, name) == nullptr && named(parameters, name) == nullptr &&
           named(buffers, name) == nullptr;
  };
  if (is_free(base)) return base;
  for (int i = 1;; ++i)
    if (std::string name = base + "_" + std::to_string(i); is_free(name)) return name;
}

bool Draft::is_used(const DraftParameter& parameter, const DraftLaunch& launch) const {
  std::string texts = launch.arguments.dump();
  std::replace(texts.begin(), texts.end(), '"', ' ');
  texts += " " + launch.shared_bytes;
  for (const auto* sizes : {&launch.grid, &launch.block})
    for (const Polynomial& size : *sizes) texts += " " + size.text();
  for (const std::string& argument : launch.template_arguments) texts += " " + argument;
  return reached_words(code, *launch.kernel).contains(parameter.name) || has_word(texts, parameter.name);
}

bool Draft::is_constant_of_code(const std::string& name) const {
  if (macro(name) != nullptr || !host.definition(name, 0)) return false;
  return std::any_of(launches.begin(), launches.end(), [&](const DraftLaunch& launch) {
    const auto& own = launch.kernel->parameters;
    return reached_words(code, *launch.kernel).contains(name) && !launch.body.locals.contains(name) &&
           std::none_of(own.begin(), own.end(), [&](const auto& each) { return each.name == name; });
  });
}

void Draft::name_variable(const std::string& name, std::size_t place, const Polynomial& value) {
  const HostText::Variable origin = host.origin_of(name, place);
  host_names[host.own_name(origin.name, origin.place)] = value;
}

DraftParameter& Draft::add_parameter(const std::string& name, Value value) {
  if (DraftParameter* known = parameter(name)) return *known;
  parameters.push_back({.name = name, .value = std::move(value), .tried = {}});
  return parameters.back();
}

DraftParameter* Draft::adopt_macro(const std::string& name) {
  if (DraftParameter* known = parameter(name)) return known;
  const MacroText* found = macro(name);
  if (found == nullptr || !found->value || found->is_made_of_others || constants.contains(name) ||
      !why_not_a_parameter_name(name).empty())
    return nullptr;
  if (found->where == MacroText::Where::unguarded || found->where == MacroText::Where::constant)
    guarded.push_back(*found);
  return &add_parameter(name, *found->value);
}

void Draft::guess(const std::string& what, const std::string& where) {
  const bool known = std::any_of(guesses.begin(), guesses.end(), [&](const DraftGuess& each) {
    return each.what == what && each.where == where;
  });
  if (!known) guesses.push_back({what, where});
}

std::optional<ElementType> Draft::type_of(const DraftLaunch& launch,
                                          const OutlineParameter& parameter) const {
  const auto given = launch.types.find(parameter.type_name);
  return element_named(given == launch.types.end() ? parameter.type_name : given->second, aliases);
}

bool Draft::is_scalar(const std::string& type) const {
  const bool of_template = std::any_of(launches.begin(), launches.end(),
                                       [&](const DraftLaunch& each) { return each.types.contains(type); });
  const auto element = element_named(type, aliases);
  return of_template || (element && element->lanes == 1);
}

nlohmann::ordered_json Draft::argument(const Polynomial& value, ScalarType type) const {
  const std::string text = value.text();
  const DraftQuantity* quantity = named(quantities, text);
  if (quantity != nullptr && quantity->type == type) return text;
  return {{"value", text}, {"type", to_string(type)}};
}

Polynomial Draft::multiplied_out(const Polynomial& value) const {
  Polynomial result = value;
  for (const DraftDivision& each : divisible) {
    const Polynomial quotient = Polynomial::factor(each.quotient);
    const Polynomial rest = result.coefficient_of(each.quotient);
    Polynomial multiplied, kept;
    for (const Polynomial& product : rest.products()) {
      const auto without = product.divided_by(each.by);
      multiplied = multiplied + (without ? *without * each.whole : Polynomial());
      kept = kept + (without ? Polynomial() : product * quotient);
    }
    result = result - rest * quotient + multiplied + kept;
  }
  return result;
}

Values Draft::defaults() const {
  Values values;
  for (const DraftQuantity& each : quantities) values[each.name] = each.value;
  for (const DraftParameter& each : parameters) values[each.name] = each.value;
  return values;
}

std::optional<CTerm> HostScope::returned_by(const CTerm& call) {
  if (call.parts.empty() && call.text.ends_with(".size")) {
    const auto elements = draft_.host.elements_of(call.text.substr(0, call.text.size() - 5), place_);
    return elements ? std::optional(elements->term) : std::nullopt;
  }
  return tailwave::returned_by(draft_.host.functions(), call);
}

// Of a type of the source's own: an alias, a template's type, a struct of scalars of one size, or what a variable is.
std::optional<Polynomial> HostScope::size_of(const std::string& type) {
  std::string name = type;
  const std::string own = element_named(type, draft_.aliases) ? "" : draft_.host.type_of(type, place_);
  if (!own.empty()) name = own;
  if (name.ends_with('*')) name.pop_back();
  for (const DraftLaunch& launch : draft_.launches)
    if (const auto given = launch.types.find(name); given != launch.types.end()) name = given->second;
  if (const auto element = element_named(name, draft_.aliases))
    return Polynomial(static_cast<std::int64_t>(size_bytes(element->scalar)) * element->lanes);
  const auto members = struct_named(draft_.declarations, name);
  if (!members) return std::nullopt;
  std::int64_t bytes = 0;
  std::size_t first = 0;
  for (const OutlineParameter& member : members->members) {
    const auto element = member.pointer ? std::nullopt : element_named(member.type_name, draft_.aliases);
    if (!element || (first != 0 && size_bytes(element->scalar) != first)) return std::nullopt;
    first = size_bytes(element->scalar);
    bytes += static_cast<std::int64_t>(first) * element->lanes;
  }
  return Polynomial(bytes);
}

// "block.y" is a part of what a dim3 is declared with, "box.width" of the list of a struct.
std::optional<CTerm> HostScope::definition_of(const std::string& name) const {
  const std::size_t dot = name.rfind('.');
  const HostText::Variable own = draft_.host.origin_of(name.substr(0, dot), place_);
  if (own.place != place_ && depth_ == 0)
    return HostScope(draft_, own.place, false, 1)
        .definition_of(own.name + (dot == std::string::npos ? "" : name.substr(dot)));
  if (const auto passed = draft_.host.passed_for(name, place_)) return passed->term;
  auto direct = draft_.host.definition(name, place_);
  if (!direct && name.ends_with(']')) return element(name);
  if (direct || dot == std::string::npos) return direct;
  if (auto listed = listed_member(name.substr(0, dot), name.substr(dot + 1))) return listed;
  if (auto value = default_member(name.substr(0, dot), name.substr(dot + 1))) return value;
  if (dot + 2 != name.size()) return std::nullopt;
  const auto whole = draft_.host.definition(name.substr(0, dot), place_);
  const std::size_t direction = std::string_view("xyz").find(name.back());
  if (!whole || whole->kind != CTerm::Kind::call || whole->text != "dim3" || direction >= 3)
    return std::nullopt;
  if (direction >= whole->parts.size()) return CTerm{CTerm::Kind::number, "1", {}};
  return whole->parts[direction];
}

std::optional<CTerm> HostScope::listed_member(const std::string& variable, const std::string& member) const {
  const std::vector<LexemeSpan> list = draft_.host.list_of(variable, place_);
  const auto type = list.empty()
                        ? std::nullopt
                        : struct_named(draft_.declarations, last_word(draft_.host.type_of(variable, place_)));
  if (!type) return std::nullopt;
  for (std::size_t i = 0; i < list.size() && i < type->members.size(); ++i) {
    const bool designated = list[i].size() > 3 && list[i][0].text == "." && list[i][2].text == "=";
    if (designated ? list[i][1].text == member : type->members[i].name == member)
      return parse_term(designated ? list[i].subspan(3) : list[i]);
  }
  return std::nullopt;
}

// 5 of "sizes[1]" for "int sizes[2] = {4, 5};".
std::optional<CTerm> HostScope::element(const std::string& name) const {
  const std::size_t open = name.find('[');
  const std::vector<LexemeSpan> list = draft_.host.list_of(name.substr(0, open), place_);
  const auto number = integer_of(name.substr(open + 1, name.size() - open - 2));
  const bool is_listed = number && *number < static_cast<long long>(list.size());
  return is_listed ? parse_term(list[static_cast<std::size_t>(*number)]) : std::nullopt;
}

// 4 of "struct Box { int width = 4; }".
std::optional<CTerm> HostScope::default_member(const std::string& variable, const std::string& member) const {
  const auto type = struct_named(draft_.declarations, last_word(draft_.host.type_of(variable, place_)));
  for (std::size_t i = 0; type && i < type->members.size(); ++i) {
    const OutlineParameter& own = type->members[i];
    const std::size_t equals = own.text.find('=');
    if (own.name == member && equals != std::string::npos)
      return parse_term(lexemes_of(own.text.substr(equals + 1)));
  }
  return std::nullopt;
}

// Of what it is declared with or passed, where that stands.
std::optional<Polynomial> HostScope::value_of(const std::string& name) {
  const auto passed = draft_.host.passed_for(name, place_);
  const auto term = passed ? std::optional(passed->term) : definition_of(name);
  if (!term) return std::nullopt;
  HostScope scope(draft_, passed ? passed->at : place_, makes_sizes_, depth_ + 1);
  return to_polynomial(*term, scope);
}

std::optional<Polynomial> HostScope::meaning(const std::string& name) {
  constexpr int kDeepest = 16;  // variables made of variables
  if (depth_ > kDeepest) return std::nullopt;
  if (name.starts_with("sizeof ")) return size_of(name.substr(7));
  if (name == "argc") return Polynomial(1);  // a program that gets no arguments
  const std::size_t dot = name.find('.');
  const HostText::Variable own = draft_.host.origin_of(name.substr(0, dot), place_);
  if (own.place != place_)
    return HostScope(draft_, own.place, makes_sizes_, depth_ + 1)
        .meaning(own.name + (dot == std::string::npos ? "" : name.substr(dot)));
  const std::string key = draft_.host.own_name(name, place_);
  const auto known = draft_.host_names.find(key);
  if (known != draft_.host_names.end()) return known->second;
  if (draft_.parameter(name) != nullptr) return Polynomial::factor(name);
  if (draft_.constants.contains(name)) return Polynomial(*draft_.macro(name)->value);
  auto value = value_of(name);
  if (!value || !value->is_number() || !makes_sizes_ || value->number() < 2) return value;
  if (draft_.is_constant_of_code(name)) return value;
  const std::string quantity = draft_.free_name(name.substr(name.rfind('.') + 1));
  const bool large = value->number() > INT32_MAX;
  draft_.quantities.push_back({.name = quantity,
                               .type = large ? ScalarType::int64 : ScalarType::int32,
                               .value = value->number(),
                               .is_size = true});
  return draft_.host_names[key] = Polynomial::factor(quantity);
}

}  // namespace tailwave
