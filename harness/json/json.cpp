#include "json/json.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace tailwave {

using nlohmann::ordered_json;

struct Json::Document {
  ordered_json root;
  std::string file;
};

Json::Json(ordered_json document, std::string file)
    : document_(std::make_shared<const Document>(Document{std::move(document), std::move(file)})),
      value_(&document_->root) {}

Json Json::inside(const ordered_json* value, std::string pointer) const {
  Json place;
  place.document_ = document_;
  place.value_ = value;
  place.pointer_ = std::move(pointer);
  return place;
}

std::string_view Json::type() const {
  if (value_ == nullptr || value_->is_null()) return "null";
  if (value_->is_object()) return "object";
  if (value_->is_array()) return "array";
  if (value_->is_string()) return "string";
  if (value_->is_boolean()) return "boolean";
  return value_->is_number_integer() ? "integer" : "number";
}

Json Json::find(std::string_view key) const {
  std::string pointer = pointer_to(pointer_, key);
  if (value_ == nullptr || !value_->is_object()) return inside(nullptr, std::move(pointer));
  const auto found = value_->find(key);
  return inside(found == value_->end() ? nullptr : &*found, std::move(pointer));
}

std::vector<std::pair<std::string, Json>> Json::members() const {
  std::vector<std::pair<std::string, Json>> places;
  if (value_ == nullptr || !value_->is_object()) return places;
  places.reserve(value_->size());
  for (const auto& [key, value] : value_->get_ref<const ordered_json::object_t&>())
    places.emplace_back(key, inside(&value, pointer_to(pointer_, key)));
  return places;
}

std::vector<Json> Json::items() const {
  std::vector<Json> places;
  if (value_ == nullptr || !value_->is_array()) return places;
  places.reserve(value_->size());
  for (const ordered_json& item : *value_)
    places.push_back(inside(&item, pointer_to(pointer_, places.size())));
  return places;
}

const std::string* Json::as_text() const {
  return value_ == nullptr ? nullptr : value_->get_ptr<const std::string*>();
}

std::optional<bool> Json::as_flag() const {
  return value_ != nullptr && value_->is_boolean() ? std::optional(value_->get<bool>()) : std::nullopt;
}

std::optional<std::int64_t> Json::as_whole() const {
  if (value_ == nullptr || !value_->is_number_integer()) return std::nullopt;
  return value_->get<std::int64_t>();
}

std::optional<double> Json::as_real() const {
  return value_ != nullptr && value_->is_number() ? std::optional(value_->get<double>()) : std::nullopt;
}

std::optional<Value> Json::as_value() const {
  if (const auto flag = as_flag()) return *flag;
  if (const auto whole = as_whole()) return *whole;
  if (const auto real = as_real()) return *real;
  if (const std::string* text = as_text()) return *text;
  return std::nullopt;
}

const ordered_json& Json::json() const {
  if (value_ == nullptr) refuse("is missing");
  return *value_;
}

bool Json::has(std::string_view key) const {
  return static_cast<bool>(find(key));
}

Json Json::at(std::string_view key) const {
  if (!is_object()) refuse("must be an object");
  Json member = find(key);
  if (!member) refuse(fmt::format("'{}' is missing", key));
  return member;
}

Json Json::at(std::size_t index) const {
  if (index >= size()) refuse(fmt::format("has no element {}", index));
  return inside(&(*value_)[index], pointer_to(pointer_, index));
}

std::size_t Json::size() const {
  if (!is_array()) refuse("must be an array");
  return value_->size();
}

std::string Json::text() const {
  const std::string* text = as_text();
  if (text == nullptr) refuse("must be text");
  return *text;
}

std::string Json::text_or_empty(std::string_view key) const {
  const Json member = find(key);
  return member ? member.text() : "";
}

std::int64_t Json::whole() const {
  const std::optional<std::int64_t> whole = as_whole();
  if (!whole) refuse("must be a whole number");
  return *whole;
}

int Json::small() const {
  const std::int64_t number = whole();
  if (!std::in_range<int>(number)) refuse(fmt::format("{} is too large", number));
  return static_cast<int>(number);
}

double Json::real() const {
  if (const std::string* text = as_text()) {
    if (*text == "inf") return std::numeric_limits<double>::infinity();
    if (*text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  const std::optional<double> number = as_real();
  if (!number) refuse("must be a number");
  return *number;
}

bool Json::flag() const {
  if (const std::optional<bool> flag = as_flag()) return *flag;
  const std::optional<double> number = as_real();
  if (number != 0.0 && number != 1.0) refuse("must be true or false");
  return number == 1.0;
}

Value Json::value() const {
  std::optional<Value> value = as_value();
  if (!value) refuse("must be a number, text, true or false");
  return *std::move(value);
}

Values Json::values() const {
  if (!is_object()) refuse("must be an object");
  Values values;
  for (const auto& [name, place] : members()) values[name] = place.value();
  return values;
}

std::size_t Json::index(std::size_t count) const {
  const std::int64_t number = whole();
  if (number < 0 || static_cast<std::size_t>(number) >= count)
    refuse(fmt::format("{} is not the index of one of {}", number, count));
  return static_cast<std::size_t>(number);
}

std::string Json::dump() const {
  return json().dump();
}

void Json::refuse(const std::string& cause, const std::string& hint) const {
  throw Error(diagnostic(cause, hint));
}

Diagnostic Json::diagnostic(const std::string& cause, const std::string& hint) const {
  return {document_ == nullptr ? "" : document_->file, pointer_, cause, "", -1, hint};
}

std::string_view type_of(const Value& value) {
  constexpr std::array<std::string_view, 4> kTypes{"boolean", "integer", "number", "string"};
  return kTypes.at(value.index());
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

}  // namespace tailwave
