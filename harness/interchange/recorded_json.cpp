#include "interchange/recorded_json.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace tailwave {

std::string pointer_part(const std::string& key) {
  std::string part;
  for (const char character : key) {
    if (character == '~')
      part += "~0";
    else if (character == '/')
      part += "~1";
    else
      part += character;
  }
  return part;
}

bool RecordedJson::has(const std::string& key) const {
  return value_->is_object() && value_->contains(key);
}

RecordedJson RecordedJson::at(const std::string& key) const {
  if (!value_->is_object()) refuse("must be an object");
  if (!value_->contains(key)) refuse(fmt::format("'{}' is missing", key));
  return {value_->at(key), file_, pointer_ + "/" + pointer_part(key)};
}

RecordedJson RecordedJson::at(std::size_t index) const {
  if (index >= size()) refuse(fmt::format("has no element {}", index));
  return {value_->at(index), file_, fmt::format("{}/{}", pointer_, index)};
}

std::size_t RecordedJson::size() const {
  if (!value_->is_array()) refuse("must be an array");
  return value_->size();
}

std::string RecordedJson::text() const {
  if (!value_->is_string()) refuse("must be text");
  return value_->get<std::string>();
}

std::string RecordedJson::text_or_empty(const std::string& key) const {
  return has(key) ? at(key).text() : "";
}

std::int64_t RecordedJson::whole() const {
  if (!value_->is_number_integer()) refuse("must be a whole number");
  if (value_->is_number_unsigned() && !std::in_range<std::int64_t>(value_->get<std::uint64_t>()))
    refuse(fmt::format("{} is too large", value_->dump()),
           fmt::format("whole numbers go up to {}", std::numeric_limits<std::int64_t>::max()));
  return value_->get<std::int64_t>();
}

int RecordedJson::small() const {
  const std::int64_t number = whole();
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
    refuse(fmt::format("{} is too large", number));
  return static_cast<int>(number);
}

double RecordedJson::real() const {
  if (*value_ == "inf") return std::numeric_limits<double>::infinity();
  if (*value_ == "-inf") return -std::numeric_limits<double>::infinity();
  if (!value_->is_number()) refuse("must be a number");
  return value_->get<double>();
}

bool RecordedJson::flag() const {
  if (value_->is_boolean()) return value_->get<bool>();
  if (*value_ != 0 && *value_ != 1) refuse("must be true or false");
  return *value_ == 1;
}

Value RecordedJson::value() const {
  if (value_->is_boolean()) return value_->get<bool>();
  if (value_->is_number_integer()) return whole();
  if (value_->is_number()) return value_->get<double>();
  if (!value_->is_string()) refuse("must be a number, text, true or false");
  return value_->get<std::string>();
}

Values RecordedJson::values() const {
  if (!value_->is_object()) refuse("must be an object");
  Values values;
  for (const auto& item : value_->items()) values[item.key()] = at(item.key()).value();
  return values;
}

std::size_t RecordedJson::index(std::size_t count) const {
  const std::int64_t number = whole();
  if (number < 0 || static_cast<std::size_t>(number) >= count)
    refuse(fmt::format("{} is not the index of one of {}", number, count));
  return static_cast<std::size_t>(number);
}

std::string RecordedJson::dump() const {
  return value_->dump();
}

void RecordedJson::refuse(const std::string& cause, const std::string& hint) const {
  throw Error(Diagnostic{file_, pointer_, cause, "", -1, hint});
}

}  // namespace tailwave
