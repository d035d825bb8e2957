#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace tailwave {

// As people write it: what fits in a line of 110 characters goes on one. `indent` is that of the line it begins in.
std::string pretty_json(const nlohmann::ordered_json& json, std::size_t indent = 0);

}  // namespace tailwave
