#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tailwave {

inline constexpr int kRecordedVersion = 1;

// JSON text with sorted keys, one member or element a line; arrays and objects of plain values alone stay on one line.
std::string pretty(const nlohmann::json& document);

}  // namespace tailwave
