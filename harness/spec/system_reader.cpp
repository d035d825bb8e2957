#include "spec/system_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "core/suggestion.h"
#include "spec/document.h"
#include "spec/fill_reader.h"
#include "spec/limit_reader.h"
#include "spec/maker_reader.h"
#include "spec/names.h"
#include "spec/paths.h"
#include "spec/reference_reader.h"
#include "spec/reported_reader.h"
#include "spec/variant_reader.h"
#include "spec/verify_reader.h"
#include "spec/work_reader.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

void read_problem(const Json& problem, System& system, Reporter& reporter) {
  for (const auto& [name, place] : problem.members()) {
    const std::string why = why_not_a_parameter_name(name);
    if (!why.empty()) reporter.report(place.pointer(), "the name '" + name + "' " + why);
    const auto [entry, fresh] = system.problem.try_emplace(name);
    ProblemQuantity& quantity = entry->second;
    if (fresh) quantity.default_value = std::int64_t{1};
    if (place.is_number()) {
      quantity.type = place.type() == "integer" ? ScalarType::int32 : ScalarType::float32;
      if (const auto value = read_quantity(quantity.type, place, reporter)) quantity.default_value = *value;
      continue;
    }
    const std::string* type_name = place.find("type").as_text();
    if (type_name != nullptr) quantity.type = parse_scalar_type(*type_name).value_or(quantity.type);
    if (type_name != nullptr && !parse_scalar_type(*type_name)) continue;
    if (const auto value = read_quantity(quantity.type, place.find("default"), reporter))
      quantity.default_value = *value;
  }
}

// A kind of memory by its name, or an expression that gives one.
Expression read_memory(const Json& place, const std::vector<std::string>& taken, Reporter& reporter) {
  if (place.as_text() != nullptr && find_enum<MemoryKind>(*place.as_text()))
    return Expression::constant(*place.as_text());
  const std::vector<std::string> kinds(EnumNames<MemoryKind>::names.begin(),
                                       EnumNames<MemoryKind>::names.end());
  const std::string text = place.as_text() == nullptr ? "" : *place.as_text();
  if (std::find(taken.begin(), taken.end(), text) == taken.end() &&
      suggestion(text, kinds).starts_with("did you mean")) {
    reporter.report_unknown(place.pointer(), "kind of memory", text, kinds);
    return BufferSpec().memory;
  }
  return read_expression(place, taken, reporter).value_or(BufferSpec().memory);
}

void check_memory(const Json& place, const std::string& name, const BufferSpec& buffer, const System& system,
                  const VariantSpec& variant, Reporter& reporter) {
  const std::string pointer = place.find("memory").pointer();
  const std::size_t before = reporter.diagnostics().size();
  check_variant_has(buffer.memory, system, variant, pointer, reporter);
  if (reporter.diagnostics().size() != before) return;
  const Values scope = default_scope(system, variant);
  const auto value = try_evaluate(buffer.memory, scope, pointer, reporter);
  if (!value) return;
  const auto kind = find_enum<MemoryKind>(to_string(*value));
  if (!kind)
    return report_value(buffer.memory, *value,
                        fmt::format("one of {}", fmt::join(EnumNames<MemoryKind>::names, ", ")), scope,
                        pointer, reporter);
  if (*kind == MemoryKind::symmetric && !variant.pes)
    reporter.report(
        pointer,
        "'" + name + "' is symmetric, and the variant '" + variant.name + "', which uses it, has no 'pes'",
        "a symmetric buffer is for variants on several processing elements");
  if (*kind == MemoryKind::symmetric && place.find("gpu"))
    reporter.report(place.find("gpu").pointer(), "'gpu' has no meaning for a buffer that is symmetric",
                    "each processing element has one, on its own GPU");
}

// Of so many elements.
Expression scalars_of(const Expression& count, const ElementType& type) {
  if (type.lanes == 1) return count;
  return Expression::parse(fmt::format("count * {}", type.lanes)).substitute({{"count", count}});
}

void read_buffers(const Json& buffers, System& system, Reporter& reporter) {
  const std::vector<std::string> taken = names_in_scope(system);
  for (const auto& [name, place] : buffers.members()) {
    const std::string why = why_not_a_name(name);
    if (!why.empty()) reporter.report(place.pointer(), "the buffer name '" + name + "' " + why);
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      reporter.report(place.pointer(), "'" + name + "' is a buffer and a parameter or problem quantity, too");
    }
    const auto known = system.buffers.find(name);
    BufferSpec buffer;
    buffer.count = Expression::constant(std::int64_t{1});  // if it is reported, no follow-up errors
    if (known != system.buffers.end()) buffer = known->second;
    const auto type = read_element_type(place.find("type"), reporter);
    if (type) buffer.type = type->scalar;
    if (const auto count = read_expression(place.find("count"), taken, reporter))
      buffer.count = scalars_of(*count, type.value_or(ElementType{}));
    if (place.find("fill")) buffer.fill = read_fill(place.find("fill"), system.directory, taken, reporter);
    buffer.output_only = place.find("output_only").as_flag().value_or(buffer.output_only);
    if (const auto gpu = read_expression(place.find("gpu"), taken, reporter)) buffer.gpu = *gpu;
    if (place.find("memory")) buffer.memory = read_memory(place.find("memory"), taken, reporter);
    if (buffer.output_only && place.find("fill")) {
      reporter.report(place.find("fill").pointer(),
                      "'fill' has no meaning for a buffer that is 'output_only'");
    }
    system.buffers.insert_or_assign(name, buffer);
  }
}

// The reference computes a problem once, for all variants and parameters.
void check_compared_size(const std::string& name, const BufferSpec& buffer, const System& system,
                         const std::string& pointer, Reporter& reporter) {
  for (const std::string& used : buffer.count.names()) {
    if (system.problem.contains(used)) continue;
    reporter.report(pointer, "'" + name +
                                 "' is compared with the reference, "
                                 "so its size must not depend on the parameter '" +
                                 used + "'");
  }
}

void check_buffer_counts(const Json& buffers, const System& system, Reporter& reporter) {
  for (const auto& [name, buffer] : system.buffers) {
    const std::string pointer = buffers.find(name).find("count").pointer();
    const Diagnostics& reported = reporter.diagnostics();
    const std::size_t all_before = reported.size();
    for (const VariantSpec& variant : system.variants) {
      const std::vector<std::string> used = used_buffers(system, variant);
      if (std::find(used.begin(), used.end(), name) == used.end()) continue;
      const std::size_t before = reported.size();
      check_variant_has(buffer.count, system, variant, pointer, reporter);
      check_whole(buffer.count, default_scope(system, variant), 1, pointer, reporter);
      check_fill(name, system, default_scope(system, variant), buffers.find(name).find("fill").pointer(),
                 reporter);
      const std::string gpu = buffers.find(name).find("gpu").pointer();
      check_variant_has(buffer.gpu, system, variant, gpu, reporter);
      check_whole(buffer.gpu, default_scope(system, variant), 0, gpu, reporter);
      check_memory(buffers.find(name), name, buffer, system, variant, reporter);
      if (reported.size() != before) break;  // one variant's trouble is enough
    }
    if (reported.size() == all_before && system.reference.compare.contains(name))
      check_compared_size(name, buffer, system, pointer, reporter);
  }
}

void check_system_name(const Json& place, const System& system, Reporter& reporter) {
  if (place && place.as_text() == nullptr) return;
  const std::string why = why_not_a_name(system.name);
  if (!why.empty()) reporter.report(place.pointer(), "'" + system.name + "' " + why);
  const std::string folder = system.directory.filename().string();
  if (system.name != folder) {
    reporter.report(place.pointer(),
                    "the name '" + system.name + "' differs from the folder's, '" + folder + "'");
  }
}

}  // namespace

std::optional<ElementType> read_element_type(const Json& place, Reporter& reporter) {
  const std::string* const text = place.as_text();
  if (text == nullptr) return std::nullopt;
  const std::optional<ElementType> type = parse_element_type(*text);
  if (type) return type;
  std::vector<std::string> names(EnumNames<ScalarType>::names.begin(), EnumNames<ScalarType>::names.end());
  names.insert(names.end(), {"int", "float", "double", "half", "bool", "size_t", "complex64", "complex128",
                             "float32x2", "float32x4", "float16x2", "int32x2", "int32x4"});
  reporter.report_unknown(place.pointer(), "type", *text, names);
  return std::nullopt;
}

std::optional<Value> read_quantity(ScalarType type, const Json& place, Reporter& reporter) {
  const std::optional<Value> value = place.as_value();
  return value ? quantity_of(type, *value, place.pointer(), reporter) : std::nullopt;
}

std::optional<Value> quantity_of(ScalarType type, const Value& value, const std::string& pointer,
                                 Reporter& reporter) {
  const std::string wanted(to_string(type));
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const auto refuse = [&](const std::string& expected) {
    const std::string quote = std::holds_alternative<std::string>(value) ? "'" : "";
    reporter.report(pointer, "expected " + expected + ", found " + quote + to_string(value) + quote);
    return std::nullopt;
  };
  if (is_real(type)) {
    const bool is_number = whole != nullptr || real != nullptr;
    if (!is_number || !(std::fabs(to_double(value)) <= largest(type)))
      return refuse("a number that fits " + wanted);
    return to_double(value);
  }
  const bool fits = whole != nullptr && visit_scalar(type, [&](auto number) {
                      if constexpr (std::is_integral_v<decltype(number)>)
                        return std::in_range<decltype(number)>(*whole);
                      return false;
                    });
  if (!fits) return refuse("an integer that fits " + wanted);
  return *whole;
}

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < ' '; });
}

bool check_one_line(const Json& place, Reporter& reporter) {
  const std::string* text = place.as_text();
  if (text == nullptr || is_one_line(*text)) return true;
  reporter.report(place.pointer(), "the text has a line break or another control character");
  return false;
}

std::optional<Value> read_parameter_value(const Value& default_value, const Json& place, Reporter& reporter) {
  std::optional<Value> value = place.as_value();
  if (!value) return std::nullopt;
  if (!check_one_line(place, reporter)) return std::nullopt;
  if (value->index() == default_value.index()) return value;
  if (std::holds_alternative<double>(default_value) && place.as_real()) return *place.as_real();
  reporter.report(place.pointer(), "expected " + with_article(type_of(default_value)) + " like the default " +
                                       to_string(default_value) + ", found " + with_article(place.type()));
  return std::nullopt;
}

std::vector<std::string> problem_names(const System& system) {
  std::vector<std::string> names;
  for (const auto& entry : system.problem) names.push_back(entry.first);
  return names;
}

std::vector<std::string> variant_names(const System& system) {
  std::vector<std::string> names;
  for (const VariantSpec& variant : system.variants) names.push_back(variant.name);
  return names;
}

std::vector<std::string> names_in_scope(const System& system, const VariantSpec& variant) {
  std::vector<std::string> names = problem_names(system);
  for (const auto& entry : variant.parameters) names.push_back(entry.first);
  return names;
}

std::vector<std::string> names_in_scope(const System& system) {
  std::set<std::string> names;
  for (const auto& entry : system.problem) names.insert(entry.first);
  for (const VariantSpec& variant : system.variants) {
    for (const auto& entry : variant.parameters) names.insert(entry.first);
  }
  return {names.begin(), names.end()};
}

void read_system_parts(const Json& root, System& system, Reporter& reporter) {
  read_problem(root.find("problem"), system, reporter);
  for (const auto& [name, place] : root.find("variants").members()) {
    const auto known = std::ranges::find(system.variants, name, &VariantSpec::name);
    if (known == system.variants.end()) {
      system.variants.push_back(read_variant_head(name, place, system, reporter));
    } else {
      *known = read_variant_head(name, place, system, reporter, *known);
    }
  }
  read_buffers(root.find("buffers"), system, reporter);
  for (VariantSpec& variant : system.variants) {
    const Json place = root.find("variants").find(variant.name);
    if (place) read_variant_body(place, system, variant, reporter);
  }
  read_reference(root.find("reference"), system, reporter);
  for (const auto& [name, place] : root.find("buffers").members())
    if (system.buffers.contains(name)) read_maker(name, place.find("fill"), system, reporter);
  name_parameters_of_fills(system);
  check_buffer_counts(root.find("buffers"), system, reporter);
  read_verify(root.find("verify"), system, reporter);
  read_work(root.find("work"), system, reporter);
  read_limits(root.find("limits"), system, reporter);
}

std::optional<System> read_system(const fs::path& file, Diagnostics& diagnostics) {
  Reporter reporter(shown_path(file), diagnostics);
  const std::optional<Document> document = read_document(file, "system.schema.json", reporter);
  if (!document) return std::nullopt;
  const Json& root = document->json;
  const auto text = [&](const char* key) {
    const std::string* found = root.find(key).as_text();
    return found == nullptr ? std::string() : *found;
  };
  System system;
  system.name = text("name");
  system.title = text("title");
  system.file = fs::canonical(file);
  system.directory = system.file.parent_path();
  if (!root.find("name")) system.name = system.directory.filename().string();
  check_system_name(root.find("name"), system, reporter);
  read_reported(root.find("metrics"), system, reporter);
  read_system_parts(root, system, reporter);
  check_reported(root.find("metrics"), system, reporter);
  return system;
}

std::optional<System> load_system(const fs::path& file, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  std::optional<System> system = read_system(file, diagnostics);
  return diagnostics.size() == before ? system : std::nullopt;
}

}  // namespace tailwave
