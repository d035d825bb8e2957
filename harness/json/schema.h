#pragma once

#include <string_view>

#include "core/error.h"
#include "json/json.h"

namespace tailwave {

// Appends each place where `document` differs from `schema`, a JSON Schema of draft 7 that has no other keywords than
// those of is_schema_keyword(): with place, cause and hint.
//
// The alternatives of an anyOf are of different types; a $ref goes into the schema's own definitions;
// additionalProperties is a schema, or false. "x-hint" beside anyOf is the hint where no alternative fits; the
// description of a property that is missing is the hint there.
void check_schema(const Json& schema, const Json& document, Diagnostics& diagnostics);

// Whether check_schema() judges by this keyword, or it says nothing of what is valid: "title", and all that begin with
// "x-".
bool is_schema_keyword(std::string_view keyword);

}  // namespace tailwave
