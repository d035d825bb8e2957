#include "spec/fill_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "core/hash.h"
#include "spec/fill_values.h"
#include "spec/npy_file.h"
#include "spec/paths.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using Kind = Fill::Kind;

// The keys that have a meaning for a kind, and whether they have to be there.
struct KeyOfKind {
  std::string_view key;
  Kind kind;
  bool required;
};
constexpr std::array<KeyOfKind, 17> kKeys{{{"value", Kind::constant, true},
                                           {"low", Kind::uniform, false},
                                           {"high", Kind::uniform, false},
                                           {"seed", Kind::uniform, false},
                                           {"mean", Kind::normal, false},
                                           {"deviation", Kind::normal, false},
                                           {"seed", Kind::normal, false},
                                           {"low", Kind::integers, false},
                                           {"high", Kind::integers, true},
                                           {"seed", Kind::integers, false},
                                           {"seed", Kind::permutation, false},
                                           {"element", Kind::generated, true},
                                           {"file", Kind::file, true},
                                           {"offset", Kind::file, false},
                                           {"source", Kind::function, true},
                                           {"function", Kind::function, true},
                                           {"args", Kind::function, true}}};

bool has_key(Kind kind, std::string_view key) {
  return std::ranges::any_of(kKeys, [&](const KeyOfKind& one) { return one.kind == kind && one.key == key; });
}

void check_keys(const Json& place, const Fill& fill, Reporter& reporter) {
  for (const auto& [key, value] : place.members()) {
    const bool is_of_some =
        std::ranges::any_of(kKeys, [&, &name = key](const KeyOfKind& one) { return one.key == name; });
    if (is_of_some && !has_key(fill.kind, key))
      reporter.report(value.pointer(),
                      fmt::format("'{}' has no meaning for the fill '{}'", key, to_string(fill.kind)));
  }
  for (const KeyOfKind& known : kKeys)
    if (known.required && fill.kind == known.kind && !place.find(known.key))
      reporter.report(place.pointer(), fmt::format("missing key '{}'", known.key));
}

void read_amount(const Json& place, const std::vector<std::string>& names, Amount& amount,
                 Reporter& reporter) {
  if (const auto expression = read_expression(place, names, reporter)) amount = *expression;
}

std::string contents_of(const fs::path& file, const std::string& pointer, Reporter& reporter) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream contents;
  contents << stream.rdbuf();
  if (!stream || contents.fail()) {
    std::error_code error;
    if (fs::file_size(file, error) > 0 || error)
      reporter.report(pointer, fmt::format("the file '{}' cannot be read", shown_path(file)));
  }
  return std::move(contents).str();
}

// " with N = 64": what the count and the offset name.
std::string sizes_text(const BufferSpec& buffer, const Values& scope) {
  std::string where;
  std::set<std::string> names(buffer.count.names().begin(), buffer.count.names().end());
  names.insert(buffer.fill.offset.names().begin(), buffer.fill.offset.names().end());
  for (const std::string& used : names)
    if (const auto value = scope.find(used); value != scope.end())
      where += fmt::format("{}{} = {}", where.empty() ? " with " : ", ", used, to_string(value->second));
  return where;
}

void check_array(const std::string& name, const BufferSpec& buffer, std::int64_t count, const Values& scope,
                 const std::string& pointer, Reporter& reporter) {
  const Fill::Heading& heading = *buffer.fill.heading;
  const std::string wanted = numpy_name(buffer.type);
  if (to_string(heading.type.scalar) != wanted)
    return reporter.report(pointer,
                           fmt::format("the array has numbers of {}, the buffer '{}' of {}",
                                       to_string(heading.type.scalar), name, to_string(buffer.type)),
                           wanted == to_string(buffer.type)
                               ? fmt::format("save array.astype('{}')", wanted)
                               : fmt::format("NumPy has no {}: save its bits as an array of {}",
                                             to_string(buffer.type), wanted));
  const std::uint64_t found = heading.count * static_cast<std::uint64_t>(heading.type.lanes);
  if (found < static_cast<std::uint64_t>(count))
    reporter.report(pointer, fmt::format("the array has {} numbers, the buffer '{}'{} needs {}", found, name,
                                         sizes_text(buffer, scope), count));
}

// Scalars of the file that the buffer needs: its own, and those that are passed over. None, and the reason reported, where
// that cannot be told.
std::optional<std::int64_t> scalars_needed(const BufferSpec& buffer, std::int64_t count, const Values& scope,
                                           const std::string& pointer, Reporter& reporter) {
  try {
    const std::int64_t offset = buffer.fill.offset.evaluate_int(scope);
    if (offset >= 0) return offset + count;
    reporter.report(pointer, fmt::format("the offset is {}, expected at least 0", offset));
  } catch (const ExpressionError& error) {
    reporter.report(pointer, error);
  }
  return std::nullopt;
}

void check_file(const std::string& name, const BufferSpec& buffer, std::int64_t count, const Values& scope,
                const std::string& pointer, Reporter& reporter) {
  if (buffer.fill.file.empty()) return;  // reported
  const auto scalars = scalars_needed(buffer, count, scope, pointer, reporter);
  if (!scalars) return;
  if (buffer.fill.heading) return check_array(name, buffer, *scalars, scope, pointer, reporter);
  if (is_npy(buffer.fill.file)) return;  // likewise
  const std::uintmax_t needed = static_cast<std::uintmax_t>(*scalars) * size_bytes(buffer.type);
  std::error_code error;
  const std::uintmax_t found = fs::file_size(buffer.fill.file, error);
  if (error || found >= needed) return;
  reporter.report(pointer, fmt::format("the file has {} bytes, the buffer '{}'{} needs {}", found, name,
                                       sizes_text(buffer, scope), needed));
}

// Whether all can be evaluated; of a generated one the first element.
bool can_be_evaluated(const Fill& fill, Values scope, const std::string& pointer, Reporter& reporter) {
  for (const auto& [key, expression] : fill_expressions(fill)) {
    const std::string place = pointer + "/" + key;
    if (fill.kind == Kind::generated) {
      scope["i"] = std::int64_t{0};
      try {
        static_cast<void>(expression.evaluate_double(scope));
      } catch (const ExpressionError& error) {
        reporter.report(place, ExpressionError(fmt::format("{} for i = 0", error.what()), error.column,
                                               error.hint, expression.text()));
        return false;
      }
      continue;
    }
    if (!try_evaluate(expression, scope, place, reporter)) return false;
  }
  return true;
}

// The inputs of the reference and of what it judges are the same.
bool names_what_the_reference_has(const Fill& fill, const System& system, const std::string& pointer,
                                  Reporter& reporter) {
  const ReferenceSpec& reference = system.reference;
  const std::string who =
      reference.variant.empty() ? "reference" : fmt::format("reference '{}'", reference.variant);
  if (!reference.variant.empty() && system.find_variant(reference.variant) == nullptr)
    return false;  // reported
  for (const auto& [key, expression] : fill_expressions(fill)) {
    for (const std::string& name : expression.names()) {
      const bool is_number = fill.kind == Kind::generated && name == "i";
      if (is_number || system.problem.contains(name) || reference_has(system, name)) continue;
      reporter.report(
          pointer + "/" + key,
          ExpressionError(fmt::format("the {} has no parameter '{}'", who, name), expression.column_of(name),
                          "it begins with the same inputs", expression.text()));
      return false;
    }
  }
  return true;
}

}  // namespace

Fill read_fill(const Json& place, const fs::path& folder, const std::vector<std::string>& names,
               Reporter& reporter) {
  Fill fill;
  const std::string* kind = place.find("kind").as_text();
  if (kind == nullptr) return fill;
  fill.kind = find_enum<Kind>(*kind).value_or(fill.kind);
  check_keys(place, fill, reporter);
  if (fill.kind == Kind::generated) {
    std::vector<std::string> known{"i"};
    known.insert(known.end(), names.begin(), names.end());
    fill.element = read_expression(place.find("element"), known, reporter).value_or(fill.element);
    return fill;
  }
  if (fill.kind == Kind::file) {
    const Json name = place.find("file");
    if (const auto file = file_inside(folder, name, reporter))
      fill = fill_from_file(*file, name.pointer(), reporter);
    read_amount(place.find("offset"), names, fill.offset, reporter);
    return fill;
  }
  if (fill.kind == Kind::function) {
    const Json source = place.find("source");
    const std::string* function = place.find("function").as_text();
    if (function != nullptr) fill.function = *function;
    if (const auto file = file_inside(folder, source, reporter)) {
      fill.file = *file;
      fill.digest = content_hash(contents_of(*file, source.pointer(), reporter));
    }
    return fill;
  }
  for (const auto& [key, amount] :
       std::initializer_list<std::pair<const char*, Amount*>>{{"value", &fill.value},
                                                              {"low", &fill.low},
                                                              {"high", &fill.high},
                                                              {"mean", &fill.mean},
                                                              {"deviation", &fill.deviation},
                                                              {"seed", &fill.seed}})
    if (has_key(fill.kind, key)) read_amount(place.find(key), names, *amount, reporter);
  return fill;
}

Fill fill_from_file(const fs::path& file, const std::string& pointer, Reporter& reporter) {
  Fill fill{.kind = Kind::file};
  fill.file = file;
  fill.digest = hash_of_file(file);
  if (!is_npy(file)) {
    if (!std::ifstream(file))
      reporter.report(pointer, fmt::format("the file '{}' cannot be read", shown_path(file)));
    return fill;
  }
  try {
    fill.heading = read_npy_heading(contents_of(file, pointer, reporter));
  } catch (const NpyError& error) {
    reporter.report(pointer, error.what(), error.hint);
  }
  return fill;
}

void check_fill_file(const std::string& name, const BufferSpec& buffer, const Values& scope,
                     const std::string& pointer, Reporter& reporter) {
  std::int64_t count = 0;
  try {
    count = buffer.count.evaluate_int(scope);
  } catch (const ExpressionError&) {
    return;  // reported where the count is
  }
  if (count > 0) check_file(name, buffer, count, scope, pointer, reporter);
}

void check_fill(const std::string& name, const System& system, const Values& scope,
                const std::string& pointer, Reporter& reporter) {
  const BufferSpec& buffer = system.buffers.at(name);
  const Fill& fill = buffer.fill;
  if (!names_what_the_reference_has(fill, system, pointer, reporter)) return;
  const Values all = scope_of_reference(system, scope);
  std::int64_t count = 0;
  try {
    count = buffer.count.evaluate_int(all);
  } catch (const ExpressionError&) {
    return;  // reported where the count is
  }
  if (count < 1 || !can_be_evaluated(fill, all, pointer, reporter)) return;
  if (fill.kind == Kind::file) return check_file(name, buffer, count, all, pointer + "/file", reporter);
  try {
    static_cast<void>(evaluate_fill(buffer, count, all));
  } catch (const FillError& error) {
    std::string hint;
    for (const auto& [key, expression] : fill_expressions(fill))
      if (hint.empty() && (error.key.empty() || error.key == key)) hint = with_defaults(expression, all);
    reporter.report(error.key.empty() ? pointer : pointer + "/" + error.key, error.what(), hint);
  } catch (const ExpressionError& error) {
    reporter.report(pointer, error.what());
  }
}

void name_parameters_of_fills(System& system) {
  std::vector<std::string>& by = system.reference.by;
  for (const auto& [name, buffer] : system.buffers)
    for (const auto& [key, expression] : fill_expressions(buffer.fill))
      for (const std::string& used : expression.names())
        if (reference_has(system, used) && std::ranges::find(by, used) == by.end()) by.push_back(used);
}

std::string describe(const Fill& fill) {
  const std::string seed = amount_text(fill.seed) == "0" ? "" : ", seed " + amount_text(fill.seed);
  switch (fill.kind) {
    case Fill::Kind::zero:
      return "zeros";
    case Fill::Kind::constant:
      return "all " + amount_text(fill.value);
    case Fill::Kind::uniform:
      return fmt::format("uniform {} to {}{}", amount_text(fill.low), amount_text(fill.high), seed);
    case Fill::Kind::normal:
      return fmt::format("normal, mean {}, deviation {}{}", amount_text(fill.mean),
                         amount_text(fill.deviation), seed);
    case Fill::Kind::integers:
      return fmt::format("integers {} to {}{}", amount_text(fill.low), amount_text(fill.high), seed);
    case Fill::Kind::permutation:
      return "a permutation" + seed;
    case Fill::Kind::generated:
      return fill.element.text();
    case Fill::Kind::file:
      return "file " + fill.file.filename().string();
    case Fill::Kind::function:
      return fmt::format("{}() in {}", fill.function, fill.file.filename().string());
  }
  throw std::logic_error("fill without a kind");
}

}  // namespace tailwave
