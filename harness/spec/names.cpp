#include "spec/names.h"

#include <algorithm>
#include <array>

#include "space/expression.h"
#include "spec/system.h"

namespace tailwave {
namespace {

// C++20's keywords and alternative tokens, [lex.key] and [lex.digraph], except those of expressions.
constexpr std::array<std::string_view, 92> kCppKeywords{
    "alignas",   "alignof",       "and_eq",       "asm",       "auto",
    "bitand",    "bitor",         "bool",         "break",     "case",
    "catch",     "char",          "char16_t",     "char32_t",  "char8_t",
    "class",     "co_await",      "co_return",    "co_yield",  "compl",
    "concept",   "const",         "const_cast",   "consteval", "constexpr",
    "constinit", "continue",      "decltype",     "default",   "delete",
    "do",        "double",        "dynamic_cast", "enum",      "explicit",
    "export",    "extern",        "for",          "friend",    "goto",
    "inline",    "long",          "mutable",      "namespace", "new",
    "noexcept",  "not_eq",        "nullptr",      "operator",  "or_eq",
    "private",   "protected",     "public",       "register",  "reinterpret_cast",
    "requires",  "return",        "short",        "signed",    "sizeof",
    "static",    "static_assert", "static_cast",  "struct",    "switch",
    "template",  "this",          "thread_local", "throw",     "try",
    "typedef",   "typeid",        "typename",     "union",     "unsigned",
    "using",     "virtual",       "void",         "volatile",  "wchar_t",
    "while",     "xor",           "xor_eq",       "float",     "int",
    "if",        "else",          "and",          "or",        "not",
    "true",      "false"};

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_keyword(std::string_view name) {
  return std::find(kCppKeywords.begin(), kCppKeywords.end(), name) != kCppKeywords.end();
}

std::string why_not_an_identifier(std::string_view name) {
  if (!is_identifier(name)) return "is no identifier (letters, digits and '_', no digit first)";
  if (is_keyword(name)) return "is a C++ keyword";
  return "";
}

}  // namespace

std::string why_not_a_parameter_name(std::string_view name) {
  std::string why = why_not_an_identifier(name);
  if (!why.empty()) return why;
  if (is_expression_word(name)) return "is a word of the expression language";
  if (std::find(rate_names().begin(), rate_names().end(), name) != rate_names().end())
    return "is a rate of the device, for limits";
  if (name.starts_with("TAILWAVE_")) return "begins with TAILWAVE_, which is reserved";
  const bool capital = name.size() > 1 && name[1] >= 'A' && name[1] <= 'Z';
  if (name.find("__") != std::string_view::npos || (name.front() == '_' && capital)) {
    return "is reserved for the compiler ('__', or '_' and a capital)";
  }
  return "";
}

std::string why_not_a_name(std::string_view name) {
  const bool good =
      !name.empty() && is_letter(name.front()) &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
  return good ? "" : "is no name (letters, digits, '_' and '-', a letter first)";
}

std::string why_not_a_function(std::string_view name) {
  return why_not_an_identifier(name);
}

std::string why_not_a_kernel(std::string_view name) {
  const std::size_t open = name.find('<');
  std::string_view path = name.substr(0, open);
  while (true) {
    const std::size_t colons = path.find("::");
    std::string why = why_not_an_identifier(path.substr(0, colons));
    if (!why.empty()) return why;
    if (colons == std::string_view::npos) break;
    path.remove_prefix(colons + 2);
  }
  if (open == std::string_view::npos) return "";
  int depth = 0;
  for (std::size_t i = open; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (depth == 0 && i + 1 < name.size()) return "goes on after its template arguments";
  }
  return depth == 0 ? "" : "lacks the '>' of its template arguments";
}

}  // namespace tailwave
