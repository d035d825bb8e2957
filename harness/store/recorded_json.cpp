#include "store/recorded_json.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace tailwave {

bool RecordedJson::has(const std::string& key) const {
  return value_->is_object() && value_->contains(key);
}

RecordedJson RecordedJson::at(const std::string& key) const {
  if (!value_->is_object()) refuse("must be an object");
  if (!value_->contains(key)) refuse(fmt::format("'{}' is missing", key));
  return {value_->at(key), file_, pointer_ + "/" + key};
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

Values RecordedJson::values() const {
  if (!value_->is_object()) refuse("must be an object");
  Values values;
  for (const auto& [name, value] : value_->items()) {
    if (value.is_boolean())
      values[name] = value.get<bool>();
    else if (value.is_number_integer())
      values[name] = value.get<std::int64_t>();
    else if (value.is_number())
      values[name] = value.get<double>();
    else
      values[name] = at(name).text();
  }
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

void RecordedJson::refuse(const std::string& cause) const {
  throw Error(Diagnostic{file_, pointer_, cause, "", -1, ""});
}

}  // namespace tailwave
