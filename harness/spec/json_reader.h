#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "spec/json.h"

namespace tailwave {

// The JSON value that `text` is. A syntax error, a duplicate key, an integer beyond 64 bits and nesting beyond
// 64 levels are appended to `diagnostics` (as of `file`); the result is empty only when there is no value.
std::optional<Json> parse_json(const std::string& text, const std::string& file, Diagnostics& diagnostics);

// What Valijson finds wrong first with a valid JSON text, empty when it satisfies the JSON Schema (draft 7).
std::string schema_violation(const std::string& text, std::string_view schema);

}  // namespace tailwave
