#include "store/recorded_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tailwave {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = 100;

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool on_one_line(const json& value) {
  if (!value.is_structured()) return true;
  if (std::any_of(value.begin(), value.end(), [](const json& element) { return element.is_structured(); }))
    return false;
  return value.is_array() || compact(value).size() <= kLongestLine;
}

void append(std::string& text, const json& value, std::size_t indent) {
  if (on_one_line(value)) {
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

}  // namespace tailwave
