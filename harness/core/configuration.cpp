#include "core/configuration.h"

namespace tailwave {

std::string Configuration::name() const {
  std::string text = system + "/" + variant;
  for (const Values* values : {&parameters, &problem}) {
    for (const auto& [name, value] : *values) text += "/" + name + ":" + to_string(value);
  }
  return text;
}

Values Configuration::scope() const {
  Values scope = problem;
  scope.insert(parameters.begin(), parameters.end());
  return scope;
}

}  // namespace tailwave
