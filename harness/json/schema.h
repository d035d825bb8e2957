#pragma once

#include "core/error.h"
#include "json/json.h"

namespace tailwave {

// Appends each place where `document` differs from `schema`, with place, cause and hint. The schema is a JSON Schema of
// draft 7 that judges by no other keywords than $ref, additionalProperties, anyOf, definitions, enum, exclusiveMinimum,
// items, maxItems, maximum, minItems, minProperties, minimum, properties, required and type.
//
// The alternatives of an anyOf are of different types; a $ref goes into the schema's own definitions;
// additionalProperties is a schema, or false. "x-hint" beside anyOf is the hint where no alternative fits; the
// description of a property that is missing is the hint there.
void check_schema(const Json& schema, const Json& document, Diagnostics& diagnostics);

}  // namespace tailwave
