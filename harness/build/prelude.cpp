#include "build/prelude.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/hash.h"
#include "core/outcome.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

struct Include {
  std::string name;
  bool quoted = false;
  int line = 0;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The operand of an #include directive, or nothing for any other line.
std::optional<std::string_view> include_operand(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  constexpr std::string_view kDirective = "include";
  if (!line.starts_with(kDirective)) return std::nullopt;
  line.remove_prefix(kDirective.size());
  if (line.empty() || std::string_view(" \t\"<").find(line.front()) == std::string_view::npos)
    return std::nullopt;
  return trimmed(line);
}

[[noreturn]] void refuse(const fs::path& file, int line, const std::string& cause, std::string_view excerpt,
                         const std::string& hint) {
  throw Error(
      Diagnostic{display_path(file), fmt::format("line {}", line), cause, std::string(excerpt), 0, hint});
}

std::vector<Include> includes_of(const fs::path& file, const std::string& content) {
  std::istringstream text(content);
  std::vector<Include> found;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const auto operand = include_operand(line);
    if (!operand) continue;
    const bool quoted = operand->starts_with('"');
    const auto end =
        quoted || operand->starts_with('<') ? operand->find(quoted ? '"' : '>', 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      refuse(file, number, "#include of something that is not a file name", trimmed(line),
             "name the file: what a macro includes cannot be part of a build's content key");
    found.push_back({std::string(operand->substr(1, end - 1)), quoted, number});
  }
  return found;
}

bool is_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Where an include of `file` leads, if it is a file of the project.
std::optional<fs::path> resolve(const Include& include, const fs::path& file, const fs::path& folder) {
  std::vector<fs::path> places;
  if (include.quoted) places.push_back(file.parent_path());
  places.push_back(folder);
  for (const fs::path& place : places) {
    const fs::path candidate = fs::weakly_canonical(place / include.name);
    if (!fs::is_regular_file(candidate)) continue;
    if (!is_inside(candidate, folder))
      refuse(file, include.line, fmt::format("'{}' is outside the system's folder", include.name), "",
             fmt::format("put what it needs into {}", display_path(folder)));
    return candidate;
  }
  return std::nullopt;
}

// The texts of `start` and of the project's files that it includes, directly or not; both paths are canonical.
std::map<fs::path, std::string> read_with_headers(const fs::path& start, const fs::path& root) {
  std::map<fs::path, std::string> texts;
  std::vector<fs::path> pending{start};
  while (!pending.empty()) {
    const fs::path file = pending.back();
    pending.pop_back();
    const auto [entry, is_new] = texts.try_emplace(file);
    if (!is_new) continue;
    entry->second = read_file(file);
    for (const Include& include : includes_of(file, entry->second))
      if (auto target = resolve(include, file, root)) pending.push_back(std::move(*target));
  }
  return texts;
}

Value value_of(const Expression& expression, const Values& scope, const std::string& what) {
  try {
    return expression.evaluate(scope);
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::compile_error, fmt::format("{}: {}: {}", what, expression.text(), error.what()));
  }
}

std::string with_value(std::string option, const std::string& value) {
  constexpr std::string_view kPlace = "{}";
  for (auto at = option.find(kPlace); at != std::string::npos; at = option.find(kPlace, at + value.size()))
    option.replace(at, kPlace.size(), value);
  return option;
}

}  // namespace

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  std::array<char, 1 << 14> piece{};
  while (stream.read(piece.data(), piece.size()), stream.gcount() > 0)
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  if (!stream.eof() || stream.bad()) throw Error(fmt::format("{}: cannot be read", display_path(file)));
  return text;
}

std::string display_path(const fs::path& file) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  const fs::path relative = file.lexically_normal().lexically_relative(here);
  if (relative.empty() || *relative.begin() == "..") return file.string();
  return relative.string();
}

std::string define_lines(const VariantSpec& variant, const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration.parameters)
    text += fmt::format("#define {} {}\n", name, to_define(value));
  const Values scope = configuration.scope();
  for (const auto& [name, expression] : variant.defines)
    text +=
        fmt::format("#define {} {}\n", name, to_define(value_of(expression, scope, "macro '" + name + "'")));
  return text;
}

std::string source_text(const VariantSpec& variant, const Configuration& configuration) {
  std::string text = read_file(variant.source);
  if (!variant.zero_unrolls_nothing) return text;
  for (const auto& [name, value] : configuration.parameters) {
    if (!name.starts_with("loop_unroll_factor") || value != Value(std::int64_t{0})) continue;
    const std::regex pragma(fmt::format("(^|\n)[ \\t]*#[ \\t]*pragma[ \\t]+unroll[ \\t(]+{}\\b[^\n]*", name));
    text = std::regex_replace(text, pragma, "$1");
  }
  return text;
}

std::string source_with_prelude(const VariantSpec& variant, const Configuration& configuration) {
  return fmt::format("{}#line 1 \"{}\"\n{}", define_lines(variant, configuration),
                     display_path(variant.source), source_text(variant, configuration));
}

std::vector<std::string> expand_options(const VariantSpec& variant, const Configuration& configuration) {
  const Values scope = configuration.scope();
  std::vector<std::string> options;
  for (const auto& [option, expression] : variant.options) {
    const Value value = value_of(expression, scope, "option '" + option + "'");
    if (const bool* flag = std::get_if<bool>(&value)) {
      if (*flag) options.push_back(option);
    } else {
      options.push_back(with_value(option, to_string(value)));
    }
  }
  return options;
}

std::vector<fs::path> project_headers(const fs::path& source, const fs::path& folder) {
  const fs::path start = fs::weakly_canonical(source);
  std::vector<fs::path> headers;
  for (const auto& [file, text] : read_with_headers(start, fs::weakly_canonical(folder)))
    if (file != start) headers.push_back(file);
  return headers;
}

std::string source_digest(const fs::path& source, const fs::path& folder) {
  const fs::path root = fs::weakly_canonical(folder);
  const fs::path start = fs::weakly_canonical(source);
  const std::map<fs::path, std::string> texts = read_with_headers(start, root);
  FieldHasher hasher;
  hasher.add(texts.at(start));
  for (const auto& [file, text] : texts)
    if (file != start) hasher.add(file.lexically_relative(root).string()).add(text);
  return hasher.digest();
}

}  // namespace tailwave
