#include "spec/json.h"

#include <array>

namespace tailwave {

const Json* Json::find(std::string_view key) const {
  const auto* members = std::get_if<Object>(&data);
  if (members == nullptr) return nullptr;
  for (const auto& [name, value] : *members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::optional<Value> Json::scalar() const {
  if (const bool* flag = std::get_if<bool>(&data)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&data)) return *whole;
  if (const double* real = std::get_if<double>(&data)) return *real;
  if (const auto* text = std::get_if<std::string>(&data)) return *text;
  return std::nullopt;
}

std::string_view type_of(const Json& json) {
  constexpr std::array<std::string_view, 7> kTypes{"null",   "boolean", "integer", "number",
                                                   "string", "array",   "object"};
  return kTypes.at(json.data.index());
}

std::string with_article(std::string_view type) {
  if (type == "null") return "null";
  const bool vowel = type.front() == 'a' || type.front() == 'i' || type.front() == 'o';
  return (vowel ? "an " : "a ") + std::string(type);
}

std::string pointer_to(const std::string& pointer, std::string_view key) {
  std::string result = pointer + '/';
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::string pointer_to(const std::string& pointer, std::size_t index) {
  return pointer + '/' + std::to_string(index);
}

JsonPlace JsonPlace::at(std::string_view key) const {
  return {json == nullptr ? nullptr : json->find(key), pointer_to(pointer, key)};
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::members() const {
  std::vector<std::pair<std::string, JsonPlace>> places;
  const auto* object = json == nullptr ? nullptr : std::get_if<Json::Object>(&json->data);
  if (object == nullptr) return places;
  for (const auto& [key, value] : *object) {
    places.emplace_back(key, JsonPlace{&value, pointer_to(pointer, key)});
  }
  return places;
}

std::vector<JsonPlace> JsonPlace::items() const {
  std::vector<JsonPlace> places;
  const auto* array = json == nullptr ? nullptr : std::get_if<Json::Array>(&json->data);
  if (array == nullptr) return places;
  for (const Json& item : *array) places.push_back({&item, pointer_to(pointer, places.size())});
  return places;
}

bool JsonPlace::is_list() const {
  return json != nullptr && std::holds_alternative<Json::Array>(json->data);
}

const std::string* JsonPlace::text() const {
  return json == nullptr ? nullptr : std::get_if<std::string>(&json->data);
}

std::optional<bool> JsonPlace::boolean() const {
  const bool* flag = json == nullptr ? nullptr : std::get_if<bool>(&json->data);
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::optional<std::int64_t> JsonPlace::integer() const {
  const auto* whole = json == nullptr ? nullptr : std::get_if<std::int64_t>(&json->data);
  return whole == nullptr ? std::nullopt : std::optional(*whole);
}

std::optional<double> JsonPlace::number() const {
  if (const std::optional<std::int64_t> whole = integer()) return static_cast<double>(*whole);
  const double* real = json == nullptr ? nullptr : std::get_if<double>(&json->data);
  return real == nullptr ? std::nullopt : std::optional(*real);
}

std::optional<Value> JsonPlace::scalar() const {
  return json == nullptr ? std::nullopt : json->scalar();
}

}  // namespace tailwave
