#include "spec/variant_reader.h"

#include <algorithm>

#include "spec/names.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 6> kCudaOnly{"kernel", "grid",       "block", "dynamic_shared_bytes",
                                                    "stream", "cooperative"};

void read_parameters(const JsonPlace& parameters, const System& system, VariantSpec& variant,
                     Reporter& reporter) {
  for (const auto& [name, place] : parameters.members()) {
    const std::string why = why_not_a_parameter_name(name);
    if (!why.empty()) reporter.report(place.pointer, "the name '" + name + "' " + why);
    if (system.problem.contains(name)) {
      reporter.report(place.pointer, "'" + name + "' is a parameter and a problem quantity, too");
    }
    const std::string* text = place.text();
    if (text != nullptr && std::any_of(text->begin(), text->end(), [](unsigned char c) { return c < ' '; })) {
      reporter.report(place.pointer, "the text has a line break or another control character");
    }
    if (const auto value = place.scalar()) variant.parameters.emplace_back(name, *value);
  }
}

// Reads what one variant launches; knows the scope and the defaults for all its expressions.
class LaunchReader {
 public:
  LaunchReader(const System& system, const VariantSpec& variant, Reporter& reporter)
      : system_(system),
        variant_(variant),
        reporter_(reporter),
        known_(names_in_scope(system, variant)),
        defaults_(default_scope(system, variant)) {}

  std::vector<LaunchSpec> read_all(const JsonPlace& launches) {
    std::vector<LaunchSpec> all;
    for (const JsonPlace& place : launches.items()) all.push_back(read(place));
    return all;
  }

  void read_options(const JsonPlace& options, VariantSpec& variant) {
    for (const auto& [option, place] : options.members()) {
      if (!option.starts_with("-") || option.find_first_of(" \t\n") != std::string::npos) {
        reporter_.report(place.pointer, "'" + option + "' is no compiler option: '-' first, no spaces");
      }
      const auto expression = read_expression(place, known_, reporter_);
      if (!expression) continue;
      variant.options.emplace_back(option, *expression);
      const auto value = try_evaluate(*expression, defaults_, place.pointer, reporter_);
      if (!value) continue;
      const bool takes_value = option.find("{}") != std::string::npos;
      const bool flag = std::holds_alternative<bool>(*value);
      if (takes_value == !flag) continue;
      reporter_.report(
          place.pointer,
          takes_value ? "the option has '{}' for a value, found " + to_string(*value)
                      : "the option has no '{}' for the value " + to_string(*value),
          takes_value ? "" : "write '" + option + "={}', or an expression that is true or false");
    }
  }

 private:
  LaunchSpec read(const JsonPlace& place) {
    LaunchSpec launch;
    launch.grid.fill(Expression::constant(std::int64_t{1}));
    launch.block = launch.grid;
    if (variant_.target == VariantSpec::Target::host) {
      read_function(place, launch);
    } else {
      read_kernel(place, launch);
    }
    for (const JsonPlace& argument : place.at("args").items()) {
      if (auto read = read_argument(argument)) launch.arguments.push_back(std::move(*read));
    }
    return launch;
  }

  void require(const JsonPlace& place, const char* key) {
    if (place && !place.at(key)) reporter_.report(place.pointer, "missing key '" + std::string(key) + "'");
  }

  void read_function(const JsonPlace& place, LaunchSpec& launch) {
    for (const std::string_view key : kCudaOnly) {
      if (!place.at(key)) continue;
      reporter_.report(place.at(key).pointer, "'" + std::string(key) + "' has no meaning in a host variant",
                       key == "kernel" ? "a host variant has 'function'" : "");
    }
    require(place, "function");
    read_name(place.at("function"), why_not_a_function, launch);
  }

  void read_kernel(const JsonPlace& place, LaunchSpec& launch) {
    if (place.at("function")) {
      reporter_.report(place.at("function").pointer, "'function' has no meaning in a cuda variant",
                       "a cuda variant has 'kernel'");
    }
    for (const char* key : {"kernel", "grid", "block"}) require(place, key);
    read_name(place.at("kernel"), why_not_a_kernel, launch);
    read_size(place.at("grid"), launch.grid);
    read_size(place.at("block"), launch.block);
    const JsonPlace bytes = place.at("dynamic_shared_bytes");
    if (const auto expression = read_expression(bytes, known_, reporter_)) {
      launch.dynamic_shared_bytes = *expression;
      check_whole(*expression, defaults_, 0, bytes.pointer, reporter_);
    }
    launch.stream = static_cast<int>(place.at("stream").integer().value_or(0));
    launch.cooperative = place.at("cooperative").boolean().value_or(false);
  }

  void read_name(const JsonPlace& place, std::string (*why_not)(std::string_view), LaunchSpec& launch) {
    if (place.text() == nullptr) return;
    launch.kernel = *place.text();
    const std::string why = why_not(launch.kernel);
    if (!why.empty()) reporter_.report(place.pointer, "'" + launch.kernel + "' " + why);
  }

  void read_size(const JsonPlace& place, std::array<Expression, 3>& size) {
    std::vector<JsonPlace> places = place.items();
    if (place.scalar()) places = {place};
    for (std::size_t i = 0; i < std::min(places.size(), size.size()); ++i) {
      const auto expression = read_expression(places[i], known_, reporter_);
      if (!expression) continue;
      size.at(i) = *expression;
      check_whole(*expression, defaults_, 1, places[i].pointer, reporter_);
    }
  }

  std::optional<Argument> read_argument(const JsonPlace& place) {
    if (const std::string* name = place.text()) return named_argument(*name, place.pointer);
    const auto expression = read_expression(place.at("value"), known_, reporter_);
    const std::string* type_name = place.at("type").text();
    if (type_name == nullptr || !expression) return std::nullopt;
    const std::optional<ScalarType> type = parse_scalar_type(*type_name);
    if (!type) return std::nullopt;
    check_argument(*expression, *type, place.at("value").pointer);
    return ScalarArgument{*expression, *type};
  }

  std::optional<Argument> named_argument(const std::string& name, const std::string& pointer) {
    if (system_.buffers.contains(name)) return BufferArgument{name};
    const auto quantity = system_.problem.find(name);
    if (quantity != system_.problem.end()) {
      return ScalarArgument{Expression::parse(name), quantity->second.type};
    }
    const auto value = defaults_.find(name);
    if (value == defaults_.end()) {
      report_unknown_argument(name, pointer);
      return std::nullopt;
    }
    if (std::holds_alternative<std::string>(value->second)) {
      reporter_.report(pointer, "the parameter '" + name + "' is text, which cannot be an argument");
      return std::nullopt;
    }
    const bool real = std::holds_alternative<double>(value->second);
    return ScalarArgument{Expression::parse(name), real ? ScalarType::float32 : ScalarType::int32};
  }

  void report_unknown_argument(const std::string& name, const std::string& pointer) {
    std::vector<std::string> candidates = known_;
    for (const auto& entry : system_.buffers) candidates.push_back(entry.first);
    const bool expression = !why_not_a_name(name).empty();
    reporter_.report(pointer, "unknown argument '" + name + "'",
                     expression ? R"(an expression is written {"value": ")" + name + R"(", "type": "int32"})"
                                : suggestion(name, candidates));
  }

  void check_argument(const Expression& expression, ScalarType type, const std::string& pointer) {
    const auto value = try_evaluate(expression, defaults_, pointer, reporter_);
    if (!value) return;
    try {
      const bool real = type == ScalarType::float32 || type == ScalarType::float64;
      const Expression constant = Expression::constant(*value);
      const Value converted = real ? Value(constant.evaluate_double({})) : Value(constant.evaluate_int({}));
      const Json json{std::visit([](const auto& each) -> decltype(Json::data) { return each; }, converted)};
      (void)read_quantity(type, {&json, pointer}, reporter_);
    } catch (const ExpressionError& error) {
      reporter_.report(
          Diagnostic{"", pointer, error.what(), expression.text(), -1, with_defaults(expression, defaults_)});
    }
  }

  const System& system_;
  const VariantSpec& variant_;
  Reporter& reporter_;
  std::vector<std::string> known_;
  Values defaults_;
};

}  // namespace

VariantSpec read_variant_head(const std::string& name, const JsonPlace& place, const System& system,
                              Reporter& reporter) {
  VariantSpec variant;
  variant.name = name;
  const std::string why = why_not_a_name(name);
  if (!why.empty()) reporter.report(place.pointer, "the variant name '" + name + "' " + why);
  const std::string* target = place.at("target").text();
  if (target != nullptr && *target == "host") variant.target = VariantSpec::Target::host;
  if (const std::string* description = place.at("description").text()) variant.description = *description;
  read_parameters(place.at("parameters"), system, variant, reporter);
  return variant;
}

void read_variant_body(const JsonPlace& place, const System& system, VariantSpec& variant,
                       Reporter& reporter) {
  if (const auto source = file_inside(system.directory, place.at("source"), reporter))
    variant.source = *source;
  LaunchReader reader(system, variant, reporter);
  reader.read_options(place.at("options"), variant);
  variant.prepare = reader.read_all(place.at("prepare"));
  variant.launches = reader.read_all(place.at("launches"));
  variant.finish = reader.read_all(place.at("finish"));
}

void check_variant_has(const Expression& expression, const System& system, const VariantSpec& variant,
                       const std::string& pointer, Reporter& reporter) {
  for (const std::string& name : expression.names()) {
    if (variant.has_parameter(name) || system.problem.contains(name)) continue;
    reporter.report(pointer, ExpressionError("variant '" + variant.name + "' has no parameter '" + name + "'",
                                             expression.column_of(name), "", expression.text()));
  }
}

}  // namespace tailwave
