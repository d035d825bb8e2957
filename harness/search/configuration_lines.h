#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "json/json.h"
#include "search/strategy.h"

namespace tailwave::search {

// Points as programs write and read them: objects of parameter values.
nlohmann::ordered_json configuration_json(const SearchSpace& space, Point point);
// The point, or why there is none.
std::variant<Point, std::string> point_of(const SearchProblem& problem, const Json& configuration);

// What a program is told of a space before it is asked for anything.
nlohmann::ordered_json space_json(const SearchProblem& problem);

}  // namespace tailwave::search
