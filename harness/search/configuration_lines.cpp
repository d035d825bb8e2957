#include "search/configuration_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/suggestion.h"

namespace tailwave::search {
namespace {

nlohmann::ordered_json value_json(const Value& value) {
  return std::visit([](const auto& one) { return nlohmann::ordered_json(one); }, value);
}

// JSON Schema's word for what all values are, or "mixed".
std::string type_of_all(const Parameter& parameter) {
  std::string type(type_of(parameter.values.front()));
  for (const Value& value : parameter.values) {
    const std::string_view own = type_of(value);
    if (own == type) continue;
    const bool are_numbers = (own == "integer" || own == "number") && (type == "integer" || type == "number");
    if (!are_numbers) return "mixed";
    type = "number";
  }
  return type;
}

// As programs may write it: 8 is 8.0, but neither "8" nor true.
bool is_written_as(const Value& value, const Json& given) {
  if (const auto* text = std::get_if<std::string>(&value))
    return given.as_text() && *given.as_text() == *text;
  if (const auto* flag = std::get_if<bool>(&value))
    return given.type() == "boolean" && given.as_flag() == *flag;
  if (!given.is_number()) return false;
  if (const auto whole = given.as_whole(); whole && std::holds_alternative<std::int64_t>(value))
    return *whole == std::get<std::int64_t>(value);
  return given.as_real() == to_double(value);
}

std::optional<std::uint16_t> digit_written_as(const Parameter& parameter, const Json& given) {
  for (std::size_t i = 0; i < parameter.values.size(); ++i)
    if (is_written_as(parameter.values[i], given)) return static_cast<std::uint16_t>(i);
  return std::nullopt;
}

std::string values_text(const Parameter& parameter) {
  constexpr std::size_t kMostShown = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostShown, parameter.values.size()); ++i)
    text += (i > 0 ? ", " : "") + value_json(parameter.values[i]).dump();
  if (parameter.values.size() > kMostShown) text += fmt::format(", ... ({} values)", parameter.values.size());
  return text;
}

// The member that is no parameter; "" where there is none.
std::string unknown_member(const std::vector<Parameter>& parameters, const Json& configuration) {
  for (const auto& [name, value] : configuration.members()) {
    const auto is_this = [&name = name](const Parameter& parameter) { return parameter.name == name; };
    if (std::any_of(parameters.begin(), parameters.end(), is_this)) continue;
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    return fmt::format("unknown parameter '{}': {}", name, suggestion_of_many(name, names, ""));
  }
  return "";
}

}  // namespace

nlohmann::ordered_json configuration_json(const SearchSpace& space, Point point) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  const auto digits = space.digits(point);
  for (std::size_t i = 0; i < digits.size(); ++i)
    object[space.parameters()[i].name] = value_json(space.parameters()[i].values[digits[i]]);
  return object;
}

std::variant<Point, std::string> point_of(const SearchProblem& problem, const Json& configuration) {
  if (!configuration.is_object())
    return "is " + with_article(configuration.type()) + ", not an object of parameter values";
  const std::vector<Parameter>& parameters = problem.space->parameters();
  if (std::string unknown = unknown_member(parameters, configuration); !unknown.empty()) return unknown;
  std::vector<std::uint16_t> row;
  for (const Parameter& parameter : parameters) {
    const Json given = configuration.find(parameter.name);
    if (!given) return fmt::format("lacks parameter '{}'", parameter.name);
    const std::optional<std::uint16_t> digit = digit_written_as(parameter, given);
    if (!digit) return fmt::format("{} is none of {}", parameter.name, values_text(parameter));
    row.push_back(*digit);
  }
  if (const std::optional<Point> point = problem.space->find(row)) return *point;
  return "is not among the valid configurations";
}

nlohmann::ordered_json space_json(const SearchProblem& problem) {
  const SearchSpace& space = *problem.space;
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const Parameter& parameter : space.parameters()) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const Value& value : parameter.values) values.push_back(value_json(value));
    parameters.push_back({{"name", parameter.name}, {"type", type_of_all(parameter)}, {"values", values}});
  }
  nlohmann::ordered_json fixed = nlohmann::ordered_json::object();
  for (const auto& [name, value] : problem.fixed) fixed[name] = value_json(value);
  nlohmann::ordered_json told{{"parameters", parameters}, {"configurations", nullptr}};
  if (space.is_listed()) told["configurations"] = space.size();
  told["constraints"] = problem.constraints;
  told["fixed"] = fixed;
  told["features"] = problem.knowledge ? problem.knowledge->names : std::vector<std::string>();
  told["budget"] = problem.budget;
  told["seed"] = problem.seed;
  return told;
}

}  // namespace tailwave::search
