#include "spec/spec_order.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json/values.h"

namespace tailwave {
namespace {

using SpecJson = nlohmann::ordered_json;

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void add_keys(std::vector<std::string>& names, const SpecJson& object) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) add_once(names, name);
}

// What an object has under a key, or null.
SpecJson under(const SpecJson& object, const char* key) {
  return object.is_object() ? object.value(key, SpecJson()) : SpecJson();
}

}  // namespace

SpecOrder spec_order(const std::string& spec_text) {
  SpecOrder order;
  const SpecJson spec = SpecJson::parse(spec_text, nullptr, false);
  for (const SpecJson& one : under(spec, "cases")) {
    if (const SpecJson variant = under(one, "variant"); variant.is_string())
      add_once(order.variants, variant.get<std::string>());
    add_keys(order.parameters, under(one, "parameters"));
  }
  if (const SpecJson variants = under(spec, "variants"); variants.is_object())
    for (const auto& [variant, one] : variants.items()) {
      add_once(order.variants, variant);
      add_keys(order.parameters, under(one, "parameters"));
    }
  for (const SpecJson& one : under(under(spec, "ConfigurationSpace"), "TuningParameters"))
    if (const SpecJson name = under(one, "Name"); name.is_string())
      add_once(order.parameters, name.get<std::string>());
  const SpecJson problem = under(spec, "problem");
  add_keys(order.quantities, problem);
  if (!problem.is_array()) return order;
  for (const SpecJson& size : problem) add_keys(order.quantities, size);
  std::erase(order.quantities, "weight");  // of a size
  return order;
}

std::map<std::string, Values> defaults_in(const std::string& text) {
  std::map<std::string, Values> defaults;
  const nlohmann::json of_variants = nlohmann::json::parse(text, nullptr, false);
  if (!of_variants.is_object()) return defaults;
  for (const auto& [variant, parameters] : of_variants.items())
    if (parameters.is_object()) defaults[variant] = from_json(parameters.dump());
  return defaults;
}

}  // namespace tailwave
