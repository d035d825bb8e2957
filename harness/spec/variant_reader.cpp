#include "spec/variant_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "spec/command_reader.h"
#include "spec/compiler_options.h"
#include "spec/launch_reader.h"
#include "spec/names.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

// Of a list of an object's "values", text or list.
std::vector<Value> values_at(const Json& place, Reporter& reporter) {
  std::vector<Value> values;
  if (const std::string* text = place.as_text()) {
    try {
      return Expression::parse_list(*text).evaluate_list();
    } catch (const ExpressionError& error) {
      reporter.report(place.pointer(), error);
    }
  }
  for (const Json& item : place.items())
    if (const auto value = item.as_value()) values.push_back(*value);
  return values;
}

// A parameter that is a list, or has one: variant.values. Its default.
Value read_values(const std::string& name, const Json& place, VariantSpec& variant, Reporter& reporter) {
  const Json list = place.is_object() ? place.find("values") : place;
  const std::size_t before = reporter.diagnostics().size();
  std::vector<Value> values = values_at(list, reporter);
  if (values.empty()) {
    if (list.is_text() && reporter.diagnostics().size() == before)
      reporter.report(list.pointer(), "the list has no values");
    return Value(std::int64_t{1});  // what names it is not to blame
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string pointer = list.is_array() ? pointer_to(list.pointer(), i) : list.pointer();
    const Value& value = values[i];
    if (value.index() != values.front().index())
      reporter.report(pointer, "expected " + with_article(type_of(values.front())) +
                                   " like the first value " + to_string(values.front()) + ", found " +
                                   to_string(value));
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), value) !=
        values.begin() + static_cast<std::ptrdiff_t>(i))
      reporter.report(pointer, "the value " + to_string(value) + " is given twice");
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && !is_one_line(*text))
      reporter.report(pointer, "the text has a line break or another control character");
  }
  const Json wanted = place.is_object() ? place.find("default") : Json();
  Value first = values.front();
  if (const auto value = wanted.as_value()) {
    if (std::find(values.begin(), values.end(), *value) == values.end())
      reporter.report(wanted.pointer(), "the default " + to_string(*value) + " is none of the values");
    first = *value;
  }
  std::erase_if(variant.values, [&](const auto& entry) { return entry.first == name; });
  variant.values.emplace_back(name, std::move(values));
  return first;
}

void read_parameters(const Json& parameters, const System& system, VariantSpec& variant, Reporter& reporter) {
  for (const auto& [name, place] : parameters.members()) {
    const std::string why = why_not_a_parameter_name(name);
    if (!why.empty()) reporter.report(place.pointer(), "the name '" + name + "' " + why);
    if (system.problem.contains(name)) {
      reporter.report(place.pointer(), "'" + name + "' is a parameter and a problem quantity, too");
    }
    check_one_line(place, reporter);
    const std::optional<Value> plain = place.as_value();
    const Value value = plain ? *plain : read_values(name, place, variant, reporter);
    const auto known =
        std::ranges::find(variant.parameters, name, [](const auto& entry) { return entry.first; });
    if (known == variant.parameters.end()) {
      variant.parameters.emplace_back(name, value);
    } else {
      known->second = value;
    }
  }
}

std::string why_not(const std::string& option, const VariantSpec& variant) {
  return variant.is_nvcc_code() ? why_not_an_nvcc_option(option) : why_not_an_option(option, variant.target);
}

void read_options(const Json& options, const System& system, VariantSpec& variant, Reporter& reporter) {
  const std::vector<std::string> known = names_in_scope(system, variant);
  const Values defaults = default_scope(system, variant);
  for (const auto& [option, place] : options.members()) {
    if (!option.starts_with("-") || option.find_first_of(" \t\n") != std::string::npos) {
      reporter.report(place.pointer(), "'" + option + "' is no compiler option: '-' first, no spaces");
    } else if (const std::string why = why_not(option, variant); !why.empty()) {
      reporter.report(place.pointer(), why, kAllowsAnyOption);
    }
    const auto expression = read_expression(place, known, reporter);
    if (!expression) continue;
    variant.options.emplace_back(option, *expression);
    const auto value = try_evaluate(*expression, defaults, place.pointer(), reporter);
    if (!value) continue;
    const bool takes_value = option.find("{}") != std::string::npos;
    const bool flag = std::holds_alternative<bool>(*value);
    if (takes_value == !flag) continue;
    reporter.report(place.pointer(),
                    takes_value ? "the option has '{}' for a value, found " + to_string(*value)
                                : "the option has no '{}' for the value " + to_string(*value),
                    takes_value ? "" : "write '" + option + "={}', or an expression that is true or false");
  }
}

std::string words_for(const VariantSpec& variant) {
  return variant.is_program() ? "a program" : fmt::format("a {} variant", to_string(variant.target));
}

void read_main(const Json& main, VariantSpec& variant, Reporter& reporter) {
  if (main && variant.target != VariantSpec::Target::cuda)
    return reporter.report(main.pointer(), fmt::format("{} has no kernels", words_for(variant)));
  std::set<std::string> launched;
  for (const LaunchSpec& launch : variant.launches)
    if (launch.is_kernel()) launched.insert(launch.kernel);
  for (const Json& place : main.items()) {
    const std::string* kernel = place.as_text();
    if (kernel == nullptr) continue;
    if (!launched.contains(*kernel))
      reporter.report_unknown(place.pointer(), "kernel", *kernel, {launched.begin(), launched.end()});
    variant.main.push_back(*kernel);
  }
}

// What its launches may name besides problem and parameters.
void read_pes(const Json& place, const System& system, VariantSpec& variant, Reporter& reporter) {
  if (!place) return;
  if (variant.target != VariantSpec::Target::cuda)
    return reporter.report(place.pointer(), fmt::format("'pes' has no meaning in {}", words_for(variant)),
                           "a processing element is a process with a GPU of its own");
  variant.pes = read_expression(place, names_in_scope(system, variant), reporter);
  if (!variant.pes) return;
  check_whole(*variant.pes, default_scope(system, variant), 1, place.pointer(), reporter);
  for (const char* name : {"PE", "PES"}) {
    if (variant.has_parameter(name) || system.problem.contains(name) || system.buffers.contains(name))
      reporter.report(
          place.pointer(),
          "'" + std::string(name) + "' is a name of 'pes' and a parameter, problem quantity or buffer, too");
  }
  if (variant.unavailable_on_cpu.empty())
    variant.unavailable_on_cpu = "its processing elements are processes with a GPU each";
}

void read_program_parts(const Json& place, const System& system, VariantSpec& variant, Reporter& reporter) {
  if (place.find("options"))
    reporter.report(place.find("options").pointer(), "'options' has no meaning for a program",
                    "its compiler gets what the words of 'build' say");
  for (const char* name : {"program", "source"}) {
    if (variant.has_parameter(name) || system.problem.contains(name) || system.buffers.contains(name))
      reporter.report(place.pointer(),
                      fmt::format("'{}' is a word of commands and a parameter, problem quantity or "
                                  "buffer, too",
                                  name));
  }
  variant.build = read_build(place.find("build"), system, variant, reporter);
}

void read_domain(const Json& place, const System& system, VariantSpec& variant, Reporter& reporter) {
  if (!place) return;
  variant.domain = read_expression(place, names_in_scope(system, variant), reporter);
  if (variant.domain)
    (void)try_evaluate(*variant.domain, default_scope(system, variant), place.pointer(), reporter);
}

// What only a GPU has.
void note_views(VariantSpec& variant) {
  for (const auto* plan : {&variant.prepare, &variant.launches, &variant.finish})
    for (const LaunchSpec& launch : *plan)
      for (const Argument& argument : launch.arguments) {
        if (!variant.unavailable_on_cpu.empty()) return;
        if (std::holds_alternative<TextureArgument>(argument))
          variant.unavailable_on_cpu = "'" + launch.kernel + "' reads a texture, which GPUs alone have";
        if (std::holds_alternative<TensorMapArgument>(argument))
          variant.unavailable_on_cpu = "'" + launch.kernel + "' has a tensor map, which GPUs alone have";
      }
}

// By its ending.
VariantSpec::Target target_of(const std::filesystem::path& source) {
  const std::string kind = source.extension().string();
  const bool is_host = kind == ".cpp" || kind == ".cc" || kind == ".cxx" || kind == ".c";
  return is_host ? VariantSpec::Target::host : VariantSpec::Target::cuda;
}

}  // namespace

VariantSpec read_variant_head(const std::string& name, const Json& place, const System& system,
                              Reporter& reporter, VariantSpec variant) {
  variant.name = name;
  const std::string why = why_not_a_name(name);
  if (!why.empty()) reporter.report(place.pointer(), "the variant name '" + name + "' " + why);
  if (const std::string* source = place.find("source").as_text(); source != nullptr && !place.find("target"))
    variant.target = target_of(*source);
  if (const std::string* target = place.find("target").as_text())
    variant.target = find_enum<VariantSpec::Target>(*target).value_or(variant.target);
  if (const std::string* description = place.find("description").as_text())
    variant.description = *description;
  if (const std::string* why_not = place.find("unavailable").find("cpu").as_text())
    variant.unavailable_on_cpu = *why_not;
  if (variant.target == VariantSpec::Target::host && !variant.unavailable_on_cpu.empty())
    reporter.report(place.find("unavailable").find("cpu").pointer(), "a host variant runs on the CPU alone");
  if (variant.is_program() && place.find("known_races"))
    reporter.report(place.find("known_races").pointer(), "a program is not looked into for races");
  if (const std::string* races = place.find("known_races").as_text()) variant.known_races = *races;
  read_parameters(place.find("parameters"), system, variant, reporter);
  return variant;
}

void read_variant_body(const Json& place, const System& system, VariantSpec& variant, Reporter& reporter) {
  if (const auto source = file_inside(system.directory, place.find("source"), reporter))
    variant.source = *source;
  if (variant.is_prebuilt() && variant.unavailable_on_cpu.empty())
    variant.unavailable_on_cpu = "its source is code of a GPU already";
  if (variant.is_program())
    read_program_parts(place, system, variant, reporter);
  else
    read_options(place.find("options"), system, variant, reporter);
  if (!variant.is_program() && place.find("build"))
    reporter.report(place.find("build").pointer(),
                    fmt::format("'build' has no meaning in {}", words_for(variant)),
                    "tailwave compiles it; 'options' are what its compiler gets");
  read_domain(place.find("requires"), system, variant, reporter);
  read_pes(place.find("pes"), system, variant, reporter);
  if (place.find("prepare")) variant.prepare = read_plan(place.find("prepare"), system, variant, reporter);
  if (place.find("launches")) variant.launches = read_plan(place.find("launches"), system, variant, reporter);
  read_main(place.find("main"), variant, reporter);
  if (place.find("finish")) variant.finish = read_plan(place.find("finish"), system, variant, reporter);
  note_views(variant);
  for (const char* untimed : {"prepare", "finish"}) {
    for (const Json& item : place.find(untimed).items()) {
      if (item.find("until"))
        reporter.report(item.find("until").pointer(), "only 'launches' can have 'until'");
    }
  }
}

void check_variant_has(const Expression& expression, const System& system, const VariantSpec& variant,
                       const std::string& pointer, Reporter& reporter,
                       const std::vector<std::string>& others) {
  for (const std::string& name : expression.names()) {
    if (variant.has_parameter(name) || system.problem.contains(name)) continue;
    if (std::find(others.begin(), others.end(), name) != others.end()) continue;
    reporter.report(pointer, ExpressionError("variant '" + variant.name + "' has no parameter '" + name + "'",
                                             expression.column_of(name), "", expression.text()));
  }
}

}  // namespace tailwave
