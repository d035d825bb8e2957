#include "adopt/host_passed.h"

#include <map>

#include "adopt/element_names.h"
#include "adopt/host_pointer.h"

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

}  // namespace

std::string variable_passed(const HostFunctions::Passed& passed) {
  if (passed.is_pointer) {
    const HostPointer pointer = pointer_of(passed.argument);
    return pointer.is_moved ? "" : pointer.variable;
  }
  const auto whole = parse_term(passed.argument);
  if (!whole) return "";
  const CTerm* term = &*whole;
  while (term->kind == CTerm::Kind::call && term->parts.size() == 1 && element_named(term->text))
    term = term->parts.data();
  const bool is_name = term->kind == CTerm::Kind::name && term->text != "true" && term->text != "false";
  return is_name ? term->text : "";
}

std::optional<CTerm> returned_by(const HostFunctions& functions, const CTerm& call) {
  const auto formula = functions.formula(call.text);
  const auto value = formula ? parse_term(formula->value) : std::nullopt;
  if (!value || formula->parameters.size() != call.parts.size()) return std::nullopt;
  std::map<std::string, CTerm> values;
  for (std::size_t i = 0; i < call.parts.size(); ++i) values[formula->parameters[i]] = call.parts[i];
  return replaced(*value, values);
}

}  // namespace tailwave
