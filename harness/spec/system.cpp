#include "spec/system.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <type_traits>

namespace tailwave {

std::size_t size_bytes(ScalarType type) {
  return visit_scalar(type, [](auto number) { return sizeof number; });
}

bool is_real(ScalarType type) {
  return visit_scalar(type, []<class Number>(Number) { return !std::is_integral_v<Number>; });
}

double rounding_unit(ScalarType type) {
  return visit_scalar(type, []<class Number>(Number) {
    return static_cast<double>(std::numeric_limits<Number>::epsilon()) / 2;
  });
}

bool is_small_float(ScalarType type) {
  return visit_scalar(type, []<class Number>(Number) { return kIsSmallFloat<Number>; });
}

double largest(ScalarType type) {
  return visit_scalar(
      type, []<class Number>(Number) { return static_cast<double>(std::numeric_limits<Number>::max()); });
}

std::optional<ScalarType> parse_scalar_type(std::string_view text) {
  static const std::map<std::string_view, ScalarType> kOtherNames{{"int", ScalarType::int32},
                                                                  {"uint", ScalarType::uint32},
                                                                  {"float", ScalarType::float32},
                                                                  {"double", ScalarType::float64},
                                                                  {"char", ScalarType::int8},
                                                                  {"uchar", ScalarType::uint8},
                                                                  {"short", ScalarType::int16},
                                                                  {"ushort", ScalarType::uint16},
                                                                  {"bool", ScalarType::uint8},
                                                                  {"size_t", ScalarType::uint64},
                                                                  {"long", ScalarType::int64},
                                                                  {"ulong", ScalarType::uint64},
                                                                  {"longlong", ScalarType::int64},
                                                                  {"ulonglong", ScalarType::uint64},
                                                                  {"half", ScalarType::float16},
                                                                  {"__half", ScalarType::float16},
                                                                  {"__nv_bfloat16", ScalarType::bfloat16}};
  const auto other = kOtherNames.find(text);
  return other == kOtherNames.end() ? find_enum<ScalarType>(text) : std::optional(other->second);
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  if (const auto scalar = parse_scalar_type(text)) return ElementType{*scalar, 1};
  if (text == "complex64") return ElementType{ScalarType::float32, 2};
  if (text == "complex128") return ElementType{ScalarType::float64, 2};
  if (text == "__nv_bfloat162") return ElementType{ScalarType::bfloat16, 2};
  constexpr std::string_view kCounts = "234";
  if (text.empty() || kCounts.find(text.back()) == std::string_view::npos) return std::nullopt;
  const int lanes = text.back() - '0';
  text.remove_suffix(1);
  const bool has_x = text.ends_with('x');
  if (has_x) text.remove_suffix(1);
  const bool is_plain = find_enum<ScalarType>(text).has_value();  // "float32x2" and "float2", not "float322"
  const auto scalar = is_plain == has_x ? parse_scalar_type(text) : std::nullopt;
  return scalar ? std::optional(ElementType{*scalar, lanes}) : std::nullopt;
}

std::string to_string(const ElementType& type) {
  return std::string(to_string(type.scalar)) + (type.lanes == 1 ? "" : "x" + std::to_string(type.lanes));
}

std::size_t alignment_bytes(const ElementType& type) {
  constexpr std::size_t kMost = 16;
  const std::size_t scalar = size_bytes(type.scalar);
  if (type.lanes == 3) return scalar;
  return std::min(kMost, scalar * static_cast<std::size_t>(type.lanes));
}

ArgumentLayout layout_of(const Argument& argument) {
  if (const auto* const scalar = std::get_if<ScalarArgument>(&argument)) {
    const std::size_t bytes = size_bytes(scalar->type);
    return {bytes, bytes};
  }
  if (const auto* const bytes = std::get_if<BytesArgument>(&argument)) return {bytes->bytes.size(), 1};
  if (std::holds_alternative<TensorMapArgument>(argument)) return {kTensorMapBytes, kTensorMapAlignment};
  const auto* const whole = std::get_if<StructArgument>(&argument);
  if (whole == nullptr) return {sizeof(void*), sizeof(void*)};
  const auto rounded = [](std::size_t bytes, std::size_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  ArgumentLayout layout{0, whole->least_alignment};
  for (const Argument& field : whole->fields) {
    const ArgumentLayout of_field = layout_of(field);
    layout.bytes = rounded(layout.bytes, of_field.alignment) + of_field.bytes;
    layout.alignment = std::max(layout.alignment, of_field.alignment);
  }
  layout.bytes = rounded(layout.bytes, layout.alignment);
  return layout;
}

bool VariantSpec::has_parameter(std::string_view parameter) const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const auto& entry) { return entry.first == parameter; });
}

bool VariantSpec::is_prebuilt() const {
  const std::string kind = source.extension().string();
  return target == Target::cuda && (kind == ".ptx" || kind == ".cubin" || kind == ".fatbin");
}

const VariantSpec* System::find_variant(std::string_view variant) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const VariantSpec& candidate) { return candidate.name == variant; });
  if (found != variants.end()) return &*found;
  const auto maker = std::find_if(makers.begin(), makers.end(),
                                  [&](const VariantSpec& candidate) { return candidate.name == variant; });
  return maker == makers.end() ? nullptr : &*maker;
}

constexpr std::string_view kMaker = "input ";

std::string maker_of(const std::string& buffer) {
  return std::string(kMaker) + buffer;
}

bool is_maker(std::string_view variant) {
  return variant.starts_with(kMaker);
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

std::vector<const Expression*> expressions_of(const LaunchSpec& launch) {
  std::vector<const Expression*> all{&launch.dynamic_shared_bytes,
                                     &launch.stream,
                                     &launch.gpu,
                                     &launch.sms,
                                     &launch.dependent,
                                     &launch.priority};
  const auto add = [&](const auto& expressions) {
    for (const Expression& one : expressions) all.push_back(&one);
  };
  add(launch.grid);
  add(launch.block);
  add(launch.wait);
  if (launch.cluster) add(*launch.cluster);
  if (launch.when) all.push_back(&*launch.when);
  if (launch.loop) all.push_back(&launch.loop->repeat);
  if (launch.loop && launch.loop->until) all.push_back(&launch.loop->until->at_most);
  return all;
}

std::vector<const Expression*> expressions_of(const Argument& argument) {
  std::vector<const Expression*> all;
  const auto add = [&](const std::vector<Expression>& expressions) {
    for (const Expression& one : expressions) all.push_back(&one);
  };
  for_each_leaf(argument, [&](const Argument& leaf) {
    if (const auto* scalar = std::get_if<ScalarArgument>(&leaf)) all.push_back(&scalar->value);
    if (const auto* choice = std::get_if<BufferChoice>(&leaf)) all.push_back(&choice->index);
    if (const auto* buffer = std::get_if<BufferArgument>(&leaf); buffer != nullptr && buffer->offset)
      all.push_back(&*buffer->offset);
    if (const auto* texture = std::get_if<TextureArgument>(&leaf)) add(texture->size);
    if (const auto* map = std::get_if<TensorMapArgument>(&leaf)) {
      for (const auto* list : {&map->dims, &map->box, &map->strides}) add(*list);
      all.insert(all.end(), {&map->swizzle, &map->interleave, &map->l2_promotion});
    }
  });
  return all;
}

std::vector<std::string> LaunchSpec::other_buffers() const {
  std::vector<std::string> all{copied, copied_to, prefetched, summed};
  std::erase(all, "");
  return all;
}

void add_buffers_of(const Argument& argument, std::set<std::string>& names) {
  for_each_leaf(argument, [&](const Argument& leaf) {
    if (const auto* buffer = std::get_if<BufferArgument>(&leaf)) names.insert(buffer->buffer);
    if (const auto* choice = std::get_if<BufferChoice>(&leaf))
      names.insert(choice->buffers.begin(), choice->buffers.end());
    if (const auto* texture = std::get_if<TextureArgument>(&leaf)) names.insert(texture->buffer);
    if (const auto* map = std::get_if<TensorMapArgument>(&leaf)) names.insert(map->buffer);
  });
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
      for (const Argument& argument : launch.arguments) add_buffers_of(argument, names);
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

std::vector<std::pair<std::string, Expression>> fill_expressions(const Fill& fill) {
  switch (fill.kind) {
    case Fill::Kind::zero:
      return {};
    case Fill::Kind::file:
      return {{"offset", fill.offset}};
    case Fill::Kind::constant:
      return {{"value", fill.value}};
    case Fill::Kind::generated:
      return {{"element", fill.element}};
    case Fill::Kind::uniform:
    case Fill::Kind::integers:
      return {{"low", fill.low}, {"high", fill.high}, {"seed", fill.seed}};
    case Fill::Kind::normal:
      return {{"mean", fill.mean}, {"deviation", fill.deviation}, {"seed", fill.seed}};
    case Fill::Kind::permutation:
      return {{"seed", fill.seed}};
    case Fill::Kind::function: {
      std::vector<std::pair<std::string, Expression>> arguments;
      for (const Expression& argument : fill.arguments) arguments.emplace_back("args", argument);
      return arguments;
    }
  }
  throw std::logic_error("fill without a kind");
}

std::string amount_text(const Expression& amount) {
  if (!amount.names().empty()) return amount.text();
  try {
    return to_string(Value{amount.evaluate_double({})});
  } catch (const ExpressionError&) {
    return amount.text();
  }
}

bool is_random(const Fill& fill) {
  return fill.kind == Fill::Kind::uniform || fill.kind == Fill::Kind::normal ||
         fill.kind == Fill::Kind::integers || fill.kind == Fill::Kind::permutation;
}

bool reference_has(const System& system, std::string_view parameter) {
  if (const VariantSpec* const reference = system.find_variant(system.reference.variant))
    return reference->has_parameter(parameter);
  return system.reference.python.has_value() &&
         std::all_of(system.variants.begin(), system.variants.end(),
                     [&](const VariantSpec& variant) { return variant.has_parameter(parameter); });
}

Values reference_parameters(const System& system, const Values& parameters) {
  Values own;
  if (const VariantSpec* const reference = system.find_variant(system.reference.variant))
    own.insert(reference->parameters.begin(), reference->parameters.end());
  for (const std::string& name : system.reference.by)
    if (const auto found = parameters.find(name); found != parameters.end()) own[name] = found->second;
  return own;
}

Values scope_of_reference(const System& system, Values scope) {
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
