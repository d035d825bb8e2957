#include "spec/system.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tailwave {

std::size_t size_bytes(ScalarType type) {
  return visit_scalar(type, [](auto number) { return sizeof number; });
}

bool is_real(ScalarType type) {
  return visit_scalar(type, []<class Number>(Number) { return std::is_floating_point_v<Number>; });
}

double rounding_unit(ScalarType type) {
  return visit_scalar(type, []<class Number>(Number) {
    return static_cast<double>(std::numeric_limits<Number>::epsilon()) / 2;
  });
}

std::optional<ScalarType> parse_scalar_type(std::string_view text) {
  if (text == "int") return ScalarType::int32;
  if (text == "float") return ScalarType::float32;
  if (text == "double") return ScalarType::float64;
  if (text == "bool") return ScalarType::uint8;
  if (text == "size_t") return ScalarType::uint64;
  return find_enum<ScalarType>(text);
}

bool VariantSpec::has_parameter(std::string_view parameter) const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const auto& entry) { return entry.first == parameter; });
}

bool VariantSpec::is_prebuilt() const {
  const std::string kind = source.extension().string();
  return target == Target::cuda && (kind == ".ptx" || kind == ".cubin");
}

const VariantSpec* System::find_variant(std::string_view variant) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const VariantSpec& candidate) { return candidate.name == variant; });
  return found == variants.end() ? nullptr : &*found;
}

const std::vector<std::string>& rate_names() {
  static const std::vector<std::string> names{"FP32_RATE", "FP64_RATE", "MUFU_RATE", "COPY_BANDWIDTH"};
  return names;
}

bool has_until(const std::vector<LaunchSpec>& plan) {
  return std::any_of(plan.begin(), plan.end(),
                     [](const LaunchSpec& launch) { return launch.loop && launch.loop->until; });
}

void add_pe(Values& scope, int pe, int pes) {
  scope["PE"] = std::int64_t{pe};
  scope["PES"] = std::int64_t{pes};
}

VariantSpec with_sms(VariantSpec variant, int sms) {
  const std::map<std::string, Expression> values{{"sms", Expression::constant(std::int64_t{sms})}};
  for (LaunchSpec& launch : variant.launches) {
    if (!launch.is_kernel()) continue;
    std::map<std::string, Expression> names = values;
    names.emplace("gpu", launch.gpu);
    launch.sms = Expression::parse("sms if gpu == 0 else 0").substitute(names);
  }
  return variant;
}

std::vector<std::string> LaunchSpec::other_buffers() const {
  std::vector<std::string> all{copied, copied_to, prefetched, summed};
  std::erase(all, "");
  return all;
}

std::vector<std::string> used_buffers(const System& system, const VariantSpec& variant) {
  std::set<std::string> names;
  for (const auto& [buffer, comparison] : system.reference.compare) {
    const bool tells = comparison.norm != Comparison::Norm::range || system.buffers.at(buffer).output_only;
    if (tells) names.insert(buffer);
  }
  for (const auto* launches : {&variant.prepare, &variant.launches, &variant.finish}) {
    for (const LaunchSpec& launch : *launches) {
      for (const std::string& buffer : launch.other_buffers()) names.insert(buffer);
      if (launch.loop && launch.loop->until) names.insert(launch.loop->until->buffer);
      for (const Argument& argument : launch.arguments) {
        if (const auto* buffer = std::get_if<BufferArgument>(&argument)) names.insert(buffer->buffer);
        if (const auto* choice = std::get_if<BufferChoice>(&argument))
          names.insert(choice->buffers.begin(), choice->buffers.end());
      }
    }
  }
  return {names.begin(), names.end()};
}

Values default_scope(const System& system, const VariantSpec& variant) {
  Values scope(variant.parameters.begin(), variant.parameters.end());
  for (const auto& [name, quantity] : system.problem) scope.emplace(name, quantity.default_value);
  return scope;
}

Configuration default_configuration(const System& system, const VariantSpec& variant, const Values& problem) {
  return {system.name, variant.name, Values(variant.parameters.begin(), variant.parameters.end()), problem};
}

bool has_names_of(const Expression& expression, const VariantSpec& variant, const System& system) {
  const std::vector<std::string>& names = expression.names();
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return variant.has_parameter(name) || system.problem.contains(name);
  });
}

bool is_in_domain(const VariantSpec& variant, const Values& scope) {
  return !variant.domain || variant.domain->evaluate_bool(scope);
}

Values reference_parameters(const System& system, const Values& parameters) {
  const VariantSpec& reference = *system.find_variant(system.reference.variant);
  Values own(reference.parameters.begin(), reference.parameters.end());
  for (const std::string& name : system.reference.by)
    if (const auto found = parameters.find(name); found != parameters.end()) own[name] = found->second;
  return own;
}

Values tolerance_scope(const System& system, Values scope) {
  const VariantSpec* const reference = system.find_variant(system.reference.variant);
  if (reference == nullptr) return scope;
  const auto is_asked_for = [&](const auto& parameter) {
    const std::vector<std::string>& by = system.reference.by;
    return std::find(by.begin(), by.end(), parameter.first) != by.end();
  };
  for (const auto& parameter : reference->parameters)
    if (is_asked_for(parameter)) scope.insert(parameter);
  return scope;
}

}  // namespace tailwave
