#include "spec/fill_reader.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "core/hash.h"
#include "spec/paths.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

// The keys that have a meaning for a kind; the first of a kind that has one is required, but for uniform numbers.
struct KeyOfKind {
  std::string_view key;
  Fill::Kind kind;
  bool required;
};
constexpr std::array<KeyOfKind, 6> kKeys{{{"value", Fill::Kind::constant, true},
                                          {"low", Fill::Kind::uniform, false},
                                          {"high", Fill::Kind::uniform, false},
                                          {"seed", Fill::Kind::uniform, false},
                                          {"element", Fill::Kind::generated, true},
                                          {"file", Fill::Kind::file, true}}};

void check_keys(const Json& place, const Fill& fill, Reporter& reporter) {
  for (const auto& [key, value] : place.members()) {
    for (const KeyOfKind& known : kKeys)
      if (key == known.key && fill.kind != known.kind)
        reporter.report(value.pointer(),
                        fmt::format("'{}' has no meaning for the fill '{}'", key, to_string(fill.kind)));
  }
  for (const KeyOfKind& known : kKeys)
    if (known.required && fill.kind == known.kind && !place.find(known.key))
      reporter.report(place.pointer(), fmt::format("missing key '{}'", known.key));
}

void read_element(const Json& place, Fill& fill, Reporter& reporter) {
  const auto element = read_expression(place, {"i"}, reporter);
  if (!element) return;
  fill.element = *element;
  try {
    static_cast<void>(element->evaluate(Values{{"i", std::int64_t{0}}}));
  } catch (const ExpressionError& error) {
    reporter.report(place.pointer(), ExpressionError(fmt::format("{} for i = 0", error.what()), error.column,
                                                     error.hint, element->text()));
  }
}

}  // namespace

Fill read_fill(const Json& place, const fs::path& folder, Reporter& reporter) {
  Fill fill;
  const std::string* kind = place.find("kind").as_text();
  if (kind == nullptr) return fill;
  fill.kind = find_enum<Fill::Kind>(*kind).value_or(fill.kind);
  fill.value = place.find("value").as_real().value_or(fill.value);
  fill.low = place.find("low").as_real().value_or(fill.low);
  fill.high = place.find("high").as_real().value_or(fill.high);
  fill.seed = static_cast<std::uint64_t>(place.find("seed").as_whole().value_or(0));
  check_keys(place, fill, reporter);
  if (fill.kind == Fill::Kind::uniform && !(fill.low < fill.high)) {
    reporter.report(place.pointer(), "'low' is " + to_string(Value(fill.low)) +
                                         ", expected less than 'high', " + to_string(Value(fill.high)));
  }
  if (fill.kind == Fill::Kind::generated) read_element(place.find("element"), fill, reporter);
  if (fill.kind == Fill::Kind::file) {
    const Json name = place.find("file");
    if (const auto file = file_inside(folder, name, reporter))
      return fill_from_file(*file, name.pointer(), reporter);
  }
  return fill;
}

Fill fill_from_file(const fs::path& file, const std::string& pointer, Reporter& reporter) {
  Fill fill{.kind = Fill::Kind::file};
  fill.file = file;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream contents;
  contents << stream.rdbuf();
  if (!stream || contents.fail()) {
    std::error_code error;
    if (fs::file_size(file, error) > 0 || error)
      reporter.report(pointer, fmt::format("the file '{}' cannot be read", shown_path(file)));
  }
  fill.digest = content_hash(contents.str());
  return fill;
}

void check_fill_file(const std::string& name, const BufferSpec& buffer, const Values& scope,
                     const std::string& pointer, Reporter& reporter) {
  if (buffer.fill.kind != Fill::Kind::file || buffer.fill.file.empty()) return;
  std::uintmax_t needed = 0;
  try {
    const std::int64_t count = buffer.count.evaluate_int(scope);
    if (count < 1) return;
    needed = static_cast<std::uintmax_t>(count) * size_bytes(buffer.type);
  } catch (const ExpressionError&) {
    return;
  }
  std::error_code error;
  const std::uintmax_t found = fs::file_size(buffer.fill.file, error);
  if (error || found >= needed) return;
  std::string where;
  for (const std::string& used : buffer.count.names())
    if (const auto value = scope.find(used); value != scope.end())
      where += fmt::format("{}{} = {}", where.empty() ? " with " : ", ", used, to_string(value->second));
  reporter.report(pointer,
                  fmt::format("the file has {} bytes, the buffer '{}'{} has {}", found, name, where, needed));
}

void check_fill_range(const BufferSpec& buffer, const std::string& pointer, Reporter& reporter) {
  const Fill& fill = buffer.fill;
  const auto check = [&](const char* key, double value, double beyond) {
    visit_scalar(buffer.type, [&](auto number) {
      using Limits = std::numeric_limits<decltype(number)>;
      const auto least = static_cast<double>(Limits::lowest()),
                 most = static_cast<double>(Limits::max()) + beyond;
      if (value < least || value > most)
        reporter.report(pointer + "/" + key,
                        fmt::format("{} is no {}", to_string(Value(value)), to_string(buffer.type)));
    });
  };
  if (fill.kind == Fill::Kind::constant) check("value", fill.value, 0);
  if (fill.kind != Fill::Kind::uniform) return;
  check("low", fill.low, 0);
  check("high", fill.high, 1);
}

std::string describe(const Fill& fill) {
  switch (fill.kind) {
    case Fill::Kind::zero:
      return "zeros";
    case Fill::Kind::constant:
      return "all " + to_string(Value{fill.value});
    case Fill::Kind::uniform:
      return fmt::format("uniform {} to {}{}", to_string(Value{fill.low}), to_string(Value{fill.high}),
                         fill.seed == 0 ? "" : fmt::format(", seed {}", fill.seed));
    case Fill::Kind::generated:
      return fill.element.text();
    case Fill::Kind::file:
      return "file " + fill.file.filename().string();
  }
  throw std::logic_error("fill without a kind");
}

}  // namespace tailwave
