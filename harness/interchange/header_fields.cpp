#include "interchange/header_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <regex>

namespace tailwave {
namespace {

// Keywords of C++20 and their other spellings, what the header itself names, and macros of compilers and of what it
// includes.
constexpr std::string_view kTakenNames =
    " alignas alignof "
    "and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float "
    "for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator "
    "or or_eq private protected public register reinterpret_cast requires return short signed sizeof "
    "static static_assert static_cast struct switch template this thread_local throw true try typedef "
    "typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq Configuration "
    "Device Entry Problem std variant BIG_ENDIAN BYTE_ORDER EXIT_FAILURE EXIT_SUCCESS LITTLE_ENDIAN "
    "HUGE_VAL HUGE_VALF HUGE_VALL INFINITY MATH_ERREXCEPT MATH_ERRNO MAXFLOAT NAN NULL alloca errno linux "
    "math_errhandling unix FD_SETSIZE NFDBITS PDP_ENDIAN WEOF WNOHANG WUNTRACED WEXITED WSTOPPED WCONTINUED "
    "WNOWAIT ";

// What <cmath>, <cstdint> and what they include define besides, in families: FP_ZERO, M_PI, INT8_MAX.
bool is_macro_of_numbers(const std::string& name) {
  static const std::regex kMacros(
      "M_(E|LOG2E|LOG10E|LN2|LN10|PI|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)[flx0-9]*|"
      "SNAN.*|HUGE_VAL_.*|"
      "FP_(NAN|INFINITE|ZERO|SUBNORMAL|NORMAL|ILOGB.*|LLOGB.*|INT_.*|FAST_.*)|"
      "(U?INT[0-9]*|U?INT_(LEAST|FAST)[0-9]+|U?INTPTR|U?INTMAX|PTRDIFF|SIZE|SIG_ATOMIC|WCHAR|WINT|RAND|MB_CUR)"
      "_(MAX|MIN|WIDTH|C)");
  constexpr std::size_t kLongest = 64;  // of those names; matching takes stack by the character
  return name.size() <= kLongest && std::regex_match(name, kMacros);
}

// Names that begin with two underscores, or with one and a capital letter, belong to the compiler.
bool is_of_compiler(const std::string& name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0);
}

FieldKind kind_of(const Value& value) {
  if (std::holds_alternative<bool>(value)) return FieldKind::boolean;
  if (std::holds_alternative<std::int64_t>(value)) return FieldKind::whole;
  return std::holds_alternative<double>(value) ? FieldKind::real : FieldKind::text;
}

FieldKind kind_for_both(FieldKind one, FieldKind other) {
  if (one == other) return one;
  const auto is_number = [](FieldKind kind) { return kind == FieldKind::whole || kind == FieldKind::real; };
  return is_number(one) && is_number(other) ? FieldKind::real : FieldKind::text;
}

std::string literal(const Value& value, FieldKind kind) {
  if (kind == FieldKind::text) return literal_of_text(to_string(value));
  if (kind == FieldKind::real) return to_define(to_double(value));
  // Its digits alone are too large a number for the '-' before them.
  if (value == Value(std::numeric_limits<std::int64_t>::min())) return "INT64_MIN";
  return to_string(value);
}

}  // namespace

std::string literal_of_text(const std::string& text) {
  std::string literal = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\' || character == '?')  // two ?? may begin a trigraph
      literal += std::string("\\") + character;
    else if (byte < 0x20 || byte == 0x7f)
      literal += fmt::format("\\{:03o}", byte);
    else
      literal += character;
  }
  return literal + '"';
}

std::string identifier(const std::string& name) {
  std::string text;
  for (const char character : name)
    text += std::isalnum(static_cast<unsigned char>(character)) != 0 ? character : '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text.insert(0, "n");
  if (is_of_compiler(text)) text.insert(0, "n");
  if (kTakenNames.find(' ' + text + ' ') != std::string_view::npos || is_macro_of_numbers(text)) text += '_';
  return text;
}

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char character) { return std::iscntrl(static_cast<unsigned char>(character)) != 0; }, ' ');
  if (text.ends_with('\\')) text += '.';  // else the next line is part of the comment
  return text;
}

std::string_view type_name(FieldKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"bool", "std::int64_t", "double", "std::string_view"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view empty_literal(FieldKind kind) {
  constexpr std::array<std::string_view, 4> kEmpty{"false", "0", "0.0", "\"\""};
  return kEmpty[static_cast<std::size_t>(kind)];
}

std::vector<Field> fields(const std::vector<const Configuration*>& configurations,
                          Values Configuration::*values) {
  std::map<std::string, std::vector<Value>> all;
  for (const Configuration* configuration : configurations)
    for (const auto& [name, value] : configuration->*values) all[name].push_back(value);
  std::vector<Field> result;
  for (const auto& [name, of_entries] : all) {
    Field field{name, identifier(name), kind_of(of_entries[0]), ""};
    for (const Value& value : of_entries) field.kind = kind_for_both(field.kind, kind_of(value));
    field.is_mixed = field.kind == FieldKind::text && std::ranges::any_of(of_entries, [](const Value& value) {
                       return kind_of(value) != FieldKind::text;
                     });
    field.first = literal(of_entries[0], field.kind);
    const auto has_same_member = [&](const Field& other) { return other.member == field.member; };
    while (std::any_of(result.begin(), result.end(), has_same_member)) field.member += '_';
    result.push_back(std::move(field));
  }
  return result;
}

std::string row(const Values& values, const std::vector<Field>& fields) {
  std::vector<std::string> literals;
  for (const Field& field : fields) {
    const auto found = values.find(field.name);
    literals.push_back(found == values.end() ? std::string(empty_literal(field.kind))
                                             : literal(found->second, field.kind));
  }
  return fmt::format("{}", fmt::join(literals, ", "));
}

}  // namespace tailwave
