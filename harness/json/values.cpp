#include "json/values.h"

#include <nlohmann/json.hpp>

#include "json/parser.h"

namespace tailwave {

nlohmann::json json_object(const Values& values) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& held) { object[key] = held; }, value);
  return object;
}

std::string to_json(const Values& values) {
  return json_object(values).dump();
}

Values from_json(const std::string& text) {
  Values values;
  for (const auto& [name, place] : require_json(text, "").members())
    if (const auto value = place.as_value()) values.emplace(name, *value);
  return values;
}

}  // namespace tailwave
