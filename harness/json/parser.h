#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "json/json.h"

namespace tailwave {

struct ParsedJson {
  std::optional<Json> json;  // none where the text is no JSON, or JSON that cannot be used
  Diagnostics diagnostics;
  // Of a text that ends too early: where its end is. One entry for each object and array that is open there, the
  // outermost first: of an object the key of its last member.
  std::vector<std::string> open;
};

// The JSON value that `text` is; `file` is what messages call it. Wrong are: a syntax error (NaN and Infinity are
// some), objects and arrays more than 100 deep in one another, and a whole number that neither 64 bits with a sign hold
// nor a double without a change. A key that an object has twice is reported, and the last one counts.
ParsedJson parse_json(std::string_view text, const std::string& file);

// As above; throws Error (bad usage) with the first that is wrong.
Json require_json(std::string_view text, const std::string& file);

}  // namespace tailwave
