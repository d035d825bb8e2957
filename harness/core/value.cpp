#include "core/value.h"

#include <array>
#include <charconv>

namespace tailwave {
namespace {

template <class Number>
std::string shortest(Number number) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

template <class Number>
bool parse_whole(const std::string& text, Number& number) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc{} && end == last;
}

}  // namespace

std::string to_string(const Value& value) {
  struct Visitor {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return shortest(number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Visitor{}, value);
}

std::string to_shown(const Value& value) {
  std::string text = to_string(value);
  if (!std::holds_alternative<std::string>(value)) return text;
  const bool is_taken_for_other = text.empty() || text == "-" || text.starts_with(' ') ||
                                  text.ends_with(' ') || text.find_first_of(",\"") != std::string::npos ||
                                  !std::holds_alternative<std::string>(parse_value(text));
  if (!is_taken_for_other) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      if (!rest.substr(at + 1).starts_with('"')) {
        rest.remove_prefix(at + 1);
        return text;
      }
      ++at;
    }
    text += rest[at];
  }
  return std::nullopt;
}

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

double to_double(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::get<bool>(value) ? 1 : 0;
}

std::string to_define(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  std::string text = to_string(value);
  if (std::holds_alternative<double>(value) && text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

Value parse_value(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t whole = 0;
  if (parse_whole(text, whole)) return whole;
  double real = 0;
  if (parse_whole(text, real)) return real;
  return text;
}

std::string to_text(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + to_string(value);
  return text;
}

}  // namespace tailwave
