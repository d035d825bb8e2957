#include "adopt/scalars.h"

#include "adopt/host_sizes.h"
#include "adopt/real_value.h"

namespace tailwave {
namespace {

// What a kernel gets where nobody knows better: of a whole number that is no size, and of a real one.
constexpr std::int64_t kUsualWhole = 1024;
constexpr double kUsualReal = 0.5;

class Scalars {
 public:
  Scalars(Draft& draft, DraftLaunch& launch, SizeRound round)
      : draft_(draft), launch_(launch), round_(round) {}

  void bind() {
    const auto& parameters = launch_.kernel->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const OutlineParameter& parameter = parameters[i];
      const auto type = draft_.type_of(launch_, parameter);
      if (!parameter.pointer && !type) bind_members(parameter, argument(i));
      if (parameter.pointer || !type || type->lanes > 1 || launch_.known.contains(parameter.name)) continue;
      bind_one(parameter, type->scalar, argument(i));
    }
  }

 private:
  [[nodiscard]] std::optional<CTerm> argument(std::size_t i) const {
    if (launch_.host == nullptr || i >= launch_.host->arguments.size()) return std::nullopt;
    return parse_term(launch_.host->arguments[i]);
  }

  // Of a struct by value: "box.count".
  void bind_members(const OutlineParameter& parameter, const std::optional<CTerm>& term) {
    const auto text = struct_named(draft_.declarations, parameter.type_name);
    if (!text) return;
    for (const OutlineParameter& member : text->members) {
      const auto type = draft_.type_of(launch_, member);
      const std::string name = parameter.name + "." + member.name;
      if (member.pointer || !type || type->lanes > 1 || launch_.known.contains(name)) continue;
      std::optional<CTerm> given;
      if (term && term->kind == CTerm::Kind::name)
        given = CTerm{CTerm::Kind::name, term->text + "." + member.name, {}};
      const auto parameter_of_that_name = launch_.known.extract(member.name);
      bind_one(member, type->scalar, given);
      if (auto found = launch_.known.extract(member.name)) {
        found.key() = name;
        launch_.known.insert(std::move(found));
      }
      if (parameter_of_that_name) launch_.known[member.name] = parameter_of_that_name.mapped();
    }
  }

  void bind_one(const OutlineParameter& parameter, ScalarType type, const std::optional<CTerm>& term) {
    if (!term) return bind_own(parameter, type, std::nullopt, "");
    if (const auto number = literal_value(*term, type)) return bind_own(parameter, type, number, "");
    const HostTerm source = HostSizes(draft_).source_of(*term, launch_.host->at);
    if (is_real(type)) {
      const auto real = real_value(draft_, *term, launch_.host->at);
      const auto value = real ? std::optional(Value(*real)) : literal_value(source.term, type);
      return bind_own(parameter, type, value, source.variable);
    }
    if (round_ == SizeRound::variables) return bind_variable(parameter, type, source);
    if (round_ == SizeRound::quotients) {
      if (const auto own = HostSizes(draft_).quotient(source, parameter.name, type))
        launch_.known[parameter.name] = *own;
      return;
    }
    const auto value = HostSizes(draft_).derived(source);
    if (value && !value->is_number())
      launch_.known[parameter.name] = *value;
    else
      bind_unrelated(parameter, type, source, value);
  }

  // A variable that is a number, or is known already.
  void bind_variable(const OutlineParameter& parameter, ScalarType type, const HostTerm& source) {
    const auto known = draft_.host_names.find(source.variable);
    if (!source.variable.empty() && known != draft_.host_names.end()) {
      launch_.known[parameter.name] = known->second;
      return;
    }
    if (HostSizes(draft_).has_sizes(source)) return;
    HostScope scope(draft_, source.at, false);
    const auto value = to_polynomial(source.term, scope);
    if (value && value->is_number())
      bind_own(parameter, type, Value(value->number()), source.variable);
    else if (value)
      launch_.known[parameter.name] = *value;
  }

  // What it has to do with others cannot be told: they keep the values of the file.
  void bind_unrelated(const OutlineParameter& parameter, ScalarType type, const HostTerm& source,
                      std::optional<Polynomial> value) {
    HostScope scope(draft_, source.at, false);
    const bool depends = HostSizes(draft_).has_sizes(source);
    if (!value) value = to_polynomial(source.term, scope);
    const bool known = value && value->is_number();
    bind_own(parameter, type, known ? std::optional<Value>(value->number()) : std::nullopt, source.variable);
    if (!depends) return;
    draft_.unrelated.push_back({launch_.known.at(parameter.name).text(), source});
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

  static std::int64_t usual_whole(ScalarType type) { return size_bytes(type) == 1 ? 1 : kUsualWhole; }

  Draft& draft_;
  DraftLaunch& launch_;
  SizeRound round_;
};

}  // namespace

std::optional<Value> literal_value(const CTerm& term, ScalarType type) {
  const bool negative = term.kind == CTerm::Kind::unary && term.text == "-";
  const CTerm& inner = negative ? term.parts[0] : term;
  if (inner.kind == CTerm::Kind::call && inner.parts.size() == 1 && element_named(inner.text))
    return literal_value(inner.parts[0], type);
  if (inner.kind != CTerm::Kind::number) return std::nullopt;
  const auto number = number_of(inner.text);
  if (!number) return std::nullopt;
  if (is_real(type)) return Value(negative ? -*number : *number);
  const auto whole = integer_of(inner.text);
  return whole ? std::optional(Value(std::int64_t{negative ? -*whole : *whole})) : std::nullopt;
}

void bind_scalars(Draft& draft, DraftLaunch& launch, SizeRound round) {
  Scalars(draft, launch, round).bind();
}

}  // namespace tailwave
