#include "interchange/recorded_format.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tailwave {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = 100;

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool fits_on_one_line(const json& value) {
  if (!value.is_structured()) return true;
  if (std::any_of(value.begin(), value.end(), [](const json& element) { return element.is_structured(); }))
    return false;
  return value.is_array() || compact(value).size() <= kLongestLine;
}

void append(std::string& text, const json& value, std::size_t indent) {
  if (fits_on_one_line(value)) {
    text += compact(value);
    return;
  }
  const std::string margin(indent + 1, ' ');
  text += value.is_array() ? '[' : '{';
  const char* separator = "\n";
  for (const auto& [key, element] : value.items()) {
    text += separator + margin;
    if (value.is_object()) text += compact(key) + ": ";
    append(text, element, indent + 1);
    separator = ",\n";
  }
  text.append("\n").append(indent, ' ');
  text += value.is_array() ? ']' : '}';
}

}  // namespace

std::string pretty(const json& document) {
  std::string text;
  append(text, document, 0);
  return text + '\n';
}

nlohmann::json cell_json(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto* real = std::get_if<double>(&cell);
  if (real == nullptr) return nullptr;
  if (std::isinf(*real)) return *real > 0 ? "inf" : "-inf";
  return *real;
}

nlohmann::json row_object(const Statement& statement, const std::vector<std::string>& nested) {
  nlohmann::json object = nlohmann::json::object();
  for (int i = 0; i < statement.column_count(); ++i) {
    if (statement.is_null(i)) continue;
    const std::string name = statement.column_name(i);
    const bool parse = std::find(nested.begin(), nested.end(), name) != nested.end();
    object[name] = parse ? nlohmann::json::parse(statement.text(i)) : cell_json(statement.cell(i));
  }
  return object;
}

}  // namespace tailwave
