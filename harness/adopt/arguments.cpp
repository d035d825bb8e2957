#include "adopt/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "adopt/lexemes.h"
#include "spec/names.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

// What a kernel gets where nobody knows better: of a whole number that is no size, and of a real one.
constexpr std::int64_t kUsualSize = 1024;
constexpr double kUsualReal = 0.5;

std::optional<ElementType> type_of(const Draft& draft, const DraftLaunch& launch,
                                   const OutlineParameter& parameter) {
  const auto given = launch.types.find(parameter.type_name);
  return element_named(given == launch.types.end() ? parameter.type_name : given->second, draft.aliases);
}

// An array of structs whose members are all of one type is an array of that.
std::optional<std::pair<ScalarType, std::int64_t>> array_of_structs(const Draft& draft,
                                                                    const std::string& type_name) {
  const auto text = struct_named(draft.source, type_name);
  if (!text) return std::nullopt;
  std::optional<ScalarType> one;
  std::int64_t scalars = 0;
  for (const OutlineParameter& member : text->members) {
    const auto type = element_named(member.type_name, draft.aliases);
    if (!type || member.pointer || (one && *one != type->scalar)) return std::nullopt;
    one = type->scalar;
    scalars += type->lanes;
  }
  return one ? std::optional(std::pair(*one, scalars)) : std::nullopt;
}

bool is_pointer_to_pointer(const OutlineParameter& parameter) {
  return std::count(parameter.text.begin(), parameter.text.end(), '*') > 1;
}

// The number that a term is, with a sign.
std::optional<Value> literal(const CTerm& term, ScalarType type) {
  const bool negative = term.kind == CTerm::Kind::unary && term.text == "-";
  const CTerm& inner = negative ? term.parts[0] : term;
  if (inner.kind == CTerm::Kind::call && inner.parts.size() == 1 && element_named(inner.text))
    return literal(inner.parts[0], type);
  if (inner.kind != CTerm::Kind::number) return std::nullopt;
  const auto number = number_of(inner.text);
  if (!number) return std::nullopt;
  if (is_real(type)) return Value(negative ? -*number : *number);
  const auto whole = integer_of(inner.text);
  return whole ? std::optional(Value(std::int64_t{negative ? -*whole : *whole})) : std::nullopt;
}

class Scalars {
 public:
  Scalars(Draft& draft, DraftLaunch& launch) : draft_(draft), launch_(launch) {}

  // Variables that are numbers come first, so that others can be made of them.
  void bind() {
    const auto& parameters = launch_.kernel->parameters;
    for (const bool made_of_others : {false, true})
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const OutlineParameter& parameter = parameters[i];
        const auto type = type_of(draft_, launch_, parameter);
        if (!parameter.pointer && !type) bind_members(parameter, argument(i), made_of_others);
        if (parameter.pointer || !type || type->lanes > 1 || launch_.known.contains(parameter.name)) continue;
        bind_one(parameter, type->scalar, argument(i), made_of_others);
      }
  }

 private:
  [[nodiscard]] std::optional<CTerm> argument(std::size_t i) const {
    if (launch_.host == nullptr || i >= launch_.host->arguments.size()) return std::nullopt;
    return parse_term(launch_.host->arguments[i]);
  }

  // Of a struct by value: "box.count".
  void bind_members(const OutlineParameter& parameter, const std::optional<CTerm>& term, bool last_round) {
    const auto text = struct_named(draft_.source, parameter.type_name);
    if (!text) return;
    for (const OutlineParameter& member : text->members) {
      const auto type = type_of(draft_, launch_, member);
      const std::string name = parameter.name + "." + member.name;
      if (member.pointer || !type || type->lanes > 1 || launch_.known.contains(name)) continue;
      std::optional<CTerm> given;
      if (term && term->kind == CTerm::Kind::name)
        given = CTerm{CTerm::Kind::name, term->text + "." + member.name, {}};
      const auto parameter_of_that_name = launch_.known.extract(member.name);
      bind_one(member, type->scalar, given, last_round);
      if (auto found = launch_.known.extract(member.name)) {
        found.key() = name;
        launch_.known.insert(std::move(found));
      }
      if (parameter_of_that_name) launch_.known[member.name] = parameter_of_that_name.mapped();
    }
  }

  void bind_one(const OutlineParameter& parameter, ScalarType type, const std::optional<CTerm>& term,
                bool last_round) {
    if (!term) return bind_own(parameter, type, std::nullopt, "");
    if (const auto number = literal(*term, type)) return bind_own(parameter, type, number, "");
    const std::string name = term->kind == CTerm::Kind::name ? term->text : "";
    if (!is_real(type)) {
      HostScope scope(draft_, launch_.host->at, false);
      const auto value = to_polynomial(*term, scope);
      if (value && !value->is_number()) {
        launch_.known[parameter.name] = *value;
        return;
      }
      if (value) return bind_own(parameter, type, Value(value->number()), name);
      if (!last_round) return;
    }
    const auto definition =
        name.empty() ? std::nullopt : HostScope(draft_, launch_.host->at, false).definition_of(name);
    bind_own(parameter, type, definition ? literal(*definition, type) : std::nullopt, name);
  }

  // A quantity of its own, or that of another launch which is passed the same variable.
  void bind_own(const OutlineParameter& parameter, ScalarType type, std::optional<Value> value,
                const std::string& host_name) {
    const auto known = draft_.host_names.find(host_name);
    if (!host_name.empty() && known != draft_.host_names.end()) {
      launch_.known[parameter.name] = known->second;
      return;
    }
    DraftQuantity* same = host_name.empty() ? draft_.quantity(parameter.name) : nullptr;
    if (same != nullptr && same->type == type && (!value || *value == same->value)) {
      launch_.known[parameter.name] = Polynomial::factor(same->name);
      return;
    }
    DraftQuantity quantity{
        .name = draft_.free_name(parameter.name), .type = type, .value = {}, .is_guess = !value};
    quantity.value = value ? *value : is_real(type) ? Value(kUsualReal) : Value(usual_whole(type));
    launch_.known[parameter.name] = Polynomial::factor(quantity.name);
    if (!host_name.empty()) draft_.host_names[host_name] = Polynomial::factor(quantity.name);
    draft_.quantities.push_back(std::move(quantity));
  }

  static std::int64_t usual_whole(ScalarType type) { return size_bytes(type) == 1 ? 1 : kUsualSize; }

  Draft& draft_;
  DraftLaunch& launch_;
};

// Of the struct at a place in the argument list: its fields, if all can be described.
std::optional<OrderedJson> struct_argument(Draft& draft, DraftLaunch& launch, const StructText& text,
                                           const std::string& parameter) {
  OrderedJson fields = OrderedJson::array();
  for (const OutlineParameter& member : text.members) {
    const auto type = type_of(draft, launch, member);
    if (!type || is_pointer_to_pointer(member) || member.name.empty()) return std::nullopt;
    if (member.pointer) {
      const std::string name =
          draft.buffer(member.name) != nullptr ? member.name : draft.free_name(member.name, true);
      if (draft.buffer(name) == nullptr)
        draft.buffers.push_back({.name = name,
                                 .type = *type,
                                 .count = kUsualSize,
                                 .count_is_guess = true,
                                 .below = 0,
                                 .is_compared = !member.reads,
                                 .is_read = true,
                                 .of_struct = true});
      fields.push_back(name);
    } else if (type->lanes == 1) {
      fields.push_back(launch.known.at(parameter + "." + member.name).text());
    } else {
      OrderedJson values = OrderedJson::array();
      for (int i = 0; i < type->lanes; ++i) values.push_back(1);
      fields.push_back({{"value", values}, {"type", to_string(*type)}});
    }
  }
  return OrderedJson{{"struct", fields}};
}

// The type of what the host passes for a parameter of that type: "float" where x is a float*.
std::string type_from_host(const Draft& draft, const DraftLaunch& launch, const std::string& name) {
  for (std::size_t i = 0; launch.host != nullptr && i < launch.kernel->parameters.size(); ++i) {
    if (launch.kernel->parameters[i].type_name != name || i >= launch.host->arguments.size()) continue;
    std::string type = draft.host.type_of(variable_of(launch.host->arguments[i]), launch.host->at);
    type = type.substr(0, type.find('*'));
    while (type.ends_with(' ')) type.pop_back();
    if (element_named(type, draft.aliases)) return type;
  }
  return "";
}

// A number of a template as a parameter of the variant, under a name that the source does not have.
std::string template_number(Draft& draft, DraftLaunch& launch, const TemplateParameter& one,
                            const std::string& given) {
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
  if (counts_items(small) && parameter.tried.empty())
    parameter.tried = items_to_try(std::get<std::int64_t>(parameter.value));
  if (!known)
    draft.guess(fmt::format("{}, which is {} of {}", name, one.name, launch.kernel->name), "\"parameters\"");
  launch.known[one.name] = Polynomial::factor(name);
  return name;
}

}  // namespace

void bind_templates(Draft& draft, DraftLaunch& launch) {
  static const std::vector<std::string> kNone;
  const auto& given = launch.host == nullptr ? kNone : launch.host->template_arguments;
  for (std::size_t i = 0; i < launch.kernel->templates.size(); ++i) {
    const TemplateParameter& one = launch.kernel->templates[i];
    std::string text = i < given.size() ? given[i] : "";
    if (one.is_type) {
      if (!element_named(text, draft.aliases)) text = type_from_host(draft, launch, one.name);
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
      launch.template_arguments.push_back(template_number(draft, launch, one, text));
    }
  }
}

void bind_scalars(Draft& draft, DraftLaunch& launch) {
  Scalars(draft, launch).bind();
}

void bind_buffers(Draft& draft, DraftLaunch& launch) {
  const auto& parameters = launch.kernel->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const OutlineParameter& parameter = parameters[i];
    if (!parameter.pointer || is_pointer_to_pointer(parameter)) continue;
    auto type = type_of(draft, launch, parameter);
    std::int64_t scalars = 1;
    if (!type) {
      const auto members = array_of_structs(draft, parameter.type_name);
      if (!members) continue;
      type = ElementType{members->first, 1};
      scalars = members->second;
    }
    const bool passed = launch.host != nullptr && i < launch.host->arguments.size();
    const std::string host_name = passed ? variable_of(launch.host->arguments[i]) : "";
    const auto same = std::find_if(draft.buffers.begin(), draft.buffers.end(), [&](const DraftBuffer& each) {
      const bool one_variable = !host_name.empty() && each.host_name == host_name;
      const bool one_name = host_name.empty() && each.name == parameter.name;
      return (one_variable || one_name) && each.type == *type;
    });
    if (same != draft.buffers.end()) {
      launch.buffers[parameter.name] = same->name;
      continue;
    }
    const bool several = draft.launches.size() > 1 && !host_name.empty();
    const std::string name = draft.free_name(several ? host_name : parameter.name, true);
    draft.buffers.push_back(
        {.name = name, .type = *type, .scalars = scalars, .count = 0, .below = 0, .host_name = host_name});
    launch.buffers[parameter.name] = name;
  }
}

void write_arguments(Draft& draft, DraftLaunch& launch) {
  const auto& parameters = launch.kernel->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const OutlineParameter& parameter = parameters[i];
    const auto type = type_of(draft, launch, parameter);
    const auto buffer = launch.buffers.find(parameter.name);
    const auto value = launch.known.find(parameter.name);
    if (buffer != launch.buffers.end()) {
      launch.arguments.push_back(buffer->second);
    } else if (!parameter.pointer && type && type->lanes == 1 && value != launch.known.end()) {
      const std::string text = value->second.text();
      const DraftQuantity* quantity = draft.quantity(text);
      if (quantity != nullptr && quantity->type == type->scalar)
        launch.arguments.push_back(text);
      else
        launch.arguments.push_back({{"value", text}, {"type", to_string(*type)}});
    } else if (!parameter.pointer && type && type->lanes > 1) {
      OrderedJson values = OrderedJson::array();
      for (int lane = 0; lane < type->lanes; ++lane) values.push_back(1);
      launch.arguments.push_back({{"value", values}, {"type", to_string(*type)}});
      draft.guess(fmt::format("'{}' of {} is all ones", parameter.text, launch.kernel->name), "\"args\"");
    } else {
      const auto text = parameter.pointer ? std::nullopt : struct_named(draft.source, parameter.type_name);
      const auto fields = text ? struct_argument(draft, launch, *text, parameter.name) : std::nullopt;
      if (fields) {
        launch.arguments.push_back(*fields);
        draft.guess(fmt::format("the fields of '{}' of {}", parameter.text, launch.kernel->name),
                    R"("args" and "problem")");
        continue;
      }
      launch.arguments.push_back({{"struct", OrderedJson::array({{{"value", 0}, {"type", "int32"}}})}});
      draft.by_hand.push_back(
          {fmt::format("argument {} of {}, '{}'", i + 1, launch.kernel->name, parameter.text),
           parameter.pointer
               ? R"(a buffer of a type that it is made of: {"type": "float32", "count": "4 * N"} for N structs of four floats)"
               : R"({"struct": [...]} in "args", with its fields in order)"});
    }
  }
}

}  // namespace tailwave
