#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/value.h"

namespace tailwave {

nlohmann::json json_object(const Values& values);
// The text of the same; what is not finite becomes null.
std::string to_json(const Values& values);
// The inverse; null has no value. Throws Error for what is no JSON.
Values from_json(const std::string& text);

}  // namespace tailwave
