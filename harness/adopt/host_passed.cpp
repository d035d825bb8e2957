#include "adopt/element_names.h"
#include "adopt/host_text.h"

namespace tailwave {
namespace {

// The term with others in place of names.
CTerm replaced(const CTerm& term, const std::map<std::string, CTerm>& values) {
  const auto found = term.kind == CTerm::Kind::name ? values.find(term.text) : values.end();
  if (found != values.end()) return found->second;
  CTerm result = term;
  for (CTerm& part : result.parts) part = replaced(part, values);
  return result;
}

// The variable that is passed; empty: it is a value of its own, or leads somewhere into one.
std::string variable_passed(const HostFunctions::Passed& passed) {
  const auto whole = parse_term(passed.argument);
  if (!whole) return "";
  const CTerm* term = &*whole;
  if (passed.is_pointer) {
    const bool is_moved = term->kind == CTerm::Kind::unary || term->kind == CTerm::Kind::binary;
    const std::string name = is_moved ? "" : variable_of(passed.argument);
    return name == "nullptr" || name == "NULL" ? "" : name;
  }
  while (term->kind == CTerm::Kind::call && term->parts.size() == 1 && element_named(term->text))
    term = term->parts.data();
  const bool is_name = term->kind == CTerm::Kind::name && term->text != "true" && term->text != "false";
  return is_name ? term->text : "";
}

}  // namespace

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
  Variable variable{name, place};
  for (int step = 0; step < kDeepest; ++step) {
    const auto passed = argument_for(variable.name, variable.place);
    std::string own = passed ? variable_passed(*passed) : "";
    if (own.empty()) break;
    variable = {std::move(own), passed->at};
  }
  return variable;
}

std::optional<CTerm> HostText::returned_by(const CTerm& call) const {
  const auto formula = functions_.formula(call.text);
  const auto value = formula ? parse_term(formula->value) : std::nullopt;
  if (!value || formula->parameters.size() != call.parts.size()) return std::nullopt;
  std::map<std::string, CTerm> values;
  for (std::size_t i = 0; i < call.parts.size(); ++i) values[formula->parameters[i]] = call.parts[i];
  return replaced(*value, values);
}

}  // namespace tailwave
