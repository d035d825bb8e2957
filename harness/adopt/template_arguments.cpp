#include "adopt/template_arguments.h"

#include <fmt/format.h>

#include "adopt/host_pointer.h"
#include "adopt/lexemes.h"
#include "spec/names.h"

namespace tailwave {
namespace {

// The type of what the host passes for a parameter of that type: "float" where x is a float*.
std::string type_from_host(const Draft& draft, const DraftLaunch& launch, const std::string& name) {
  for (std::size_t i = 0; launch.host != nullptr && i < launch.kernel->parameters.size(); ++i) {
    if (launch.kernel->parameters[i].type_name != name || i >= launch.host->arguments.size()) continue;
    const HostPointer pointer = memory_of(draft.host, pointer_of(launch.host->arguments[i]), launch.host->at);
    std::string type =
        pointer.cast.empty() ? draft.host.type_of(pointer.variable, pointer.place) : pointer.cast;
    type = type.substr(0, type.find('*'));
    while (type.ends_with(' ')) type.pop_back();
    if (element_named(type, draft.aliases)) return type;
  }
  return "";
}

// A number of a template as a parameter of the variant, under a name that the source does not have.
std::string template_number(Draft& draft, DraftLaunch& launch, std::size_t place, const std::string& given) {
  const TemplateParameter& one = launch.kernel->templates[place];
  if (draft.adopt_macro(given) != nullptr) {
    launch.known[one.name] = Polynomial::factor(given);
    return given;
  }
  const std::string text = given.empty() ? one.default_value : given;
  HostScope scope(draft, launch.host == nullptr ? 0 : launch.host->at, false);
  const auto number = parse_term(lexemes_of(text));
  const auto value = number ? to_polynomial(*number, scope) : std::nullopt;
  const bool known = value && value->is_number();
  const SourceOutline outline = outline_of({draft.source});
  std::string name = "TUNED_" + in_capitals(one.name);
  while (outline.words.contains(name) || !why_not_a_parameter_name(name).empty()) name = "T_" + name;
  constexpr std::int64_t kUsualNumber = 16;
  const std::string small = in_capitals(one.name);
  const bool threads = small.find("BLOCK") != std::string::npos || small.find("THREAD") != std::string::npos;
  DraftParameter& parameter = draft.add_parameter(name, known     ? value->number()
                                                        : threads ? 16 * kUsualNumber
                                                                  : kUsualNumber);
  if (const auto switched = launch.switched.find(place); switched != launch.switched.end()) {
    parameter.tried = switched->second.values;
    if (const std::string& variable = switched->second.variable; !variable.empty())
      draft.host_names[variable] = Polynomial::factor(name);
  }
  if (counts_items(small) && parameter.tried.empty())
    parameter.tried = items_to_try(std::get<std::int64_t>(parameter.value));
  if (!known)
    draft.guess(fmt::format("{}, which is {} of {}", name, one.name, launch.kernel->name), "\"parameters\"");
  launch.known[one.name] = Polynomial::factor(name);
  if (number && number->kind == CTerm::Kind::name && launch.host != nullptr)
    draft.name_variable(number->text, launch.host->at, Polynomial::factor(name));
  return name;
}

// Whether "Max<float>" is a struct or class of the file.
bool is_own_type(const Draft& draft, const std::string& type) {
  const std::string name = type.substr(0, type.find('<'));
  const Lexemes all = lexemes_of(draft.code);
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].text == name && (all[i - 1].text == "struct" || all[i - 1].text == "class")) return true;
  return false;
}

}  // namespace

void bind_templates(Draft& draft, DraftLaunch& launch) {
  static const std::vector<std::string> kNone;
  const auto& given = launch.host == nullptr ? kNone : launch.host->template_arguments;
  for (std::size_t i = 0; i < launch.kernel->templates.size(); ++i) {
    const TemplateParameter& one = launch.kernel->templates[i];
    std::string text = i < given.size() ? given[i] : "";
    if (one.is_type) {
      // T of k<T> in a template whose first call is run<float4>().
      const auto passed =
          launch.host != nullptr ? draft.host.functions().passed_for(text, launch.host->at) : std::nullopt;
      if (passed && element_named(joined(passed->argument), draft.aliases)) text = joined(passed->argument);
      if (!element_named(text, draft.aliases) && !is_own_type(draft, text))
        text = type_from_host(draft, launch, one.name);
      if (text.empty() && element_named(one.default_value, draft.aliases)) text = one.default_value;
      if (text.empty()) {
        text = "float";
        draft.guess(fmt::format("{} of {} is float", one.name, launch.kernel->name),
                    R"("kernel" and "buffers")");
      }
      launch.types[one.name] = text;
      launch.template_arguments.push_back(text);
    } else if (one.kind == "bool") {
      if (text.empty()) text = one.default_value.empty() ? "false" : one.default_value;
      launch.known[one.name] = Polynomial(text == "true" ? 1 : 0);
      launch.template_arguments.push_back(text);
    } else {
      launch.template_arguments.push_back(template_number(draft, launch, i, text));
    }
  }
}

}  // namespace tailwave
