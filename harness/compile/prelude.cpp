#include "compile/prelude.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/outcome.h"
#include "core/text_behind.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

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

bool is_unroll_pragma(std::string_view line, std::string_view factor) {
  std::optional<std::string_view> rest = text_behind(line, "#");
  if (rest) rest = text_behind(*rest, "pragma");
  if (rest) rest = text_behind(*rest, "unroll", " \t", 1);
  if (rest) rest = text_behind(*rest, factor, " \t(", 1);
  const auto is_in_word = [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; };
  return rest && (rest->empty() || !is_in_word(static_cast<unsigned char>(rest->front())));
}

// The lines stay, empty.
void erase_unroll_pragmas(std::string& text, std::string_view factor) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (is_unroll_pragma(line, factor)) {
      text.erase(begin, line.size());
      begin += 1;
    } else {
      begin = end + 1;
    }
  }
}

std::string source_text(const VariantSpec& variant, const Configuration& configuration) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // means nothing, and would stand in the middle
  std::string text = read_file(variant.source);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (!variant.zero_unrolls_nothing) return text;
  for (const auto& [name, value] : configuration.parameters) {
    if (!name.starts_with("loop_unroll_factor") || value != Value(std::int64_t{0})) continue;
    erase_unroll_pragmas(text, name);
  }
  return text;
}

std::string prelude_lines(const VariantSpec& variant, const Configuration& configuration) {
  return fmt::format("{}#line 1 \"{}\"\n", define_lines(variant, configuration),
                     display_path(variant.source));
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

void write_own_source(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path temporary = fmt::format("{}.{}", file.string(), getpid());
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(temporary, file, error);
  if (error) {
    throw Error(Diagnostic{.file = file.string(),
                           .cause = "cannot be written",
                           .hint = "name another cache with $TAILWAVE_CACHE"},
                Error::kRunFailed);
  }
}

}  // namespace tailwave
