#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tailwave {

// What a parameter or a problem quantity can be. Integers are exact; a bool is not an integer here, though
// expressions treat it as 0 or 1.
using Value = std::variant<bool, std::int64_t, double, std::string>;

// Names to values: a configuration's parameters, a problem, the scope of an expression. Sorted, so that text
// made from it is canonical.
using Values = std::map<std::string, Value, std::less<>>;
std::string to_text(const Values& values);  // "M = 3, N = 1"

// true/false, 42, 0.01 (shortest text that reads back to the same double), text as it is.
std::string to_string(const Value& value);

// As people see it among others, which is also how they may write it in a filter: as to_string(), but text that is
// empty or "-", reads as a number or a bool, has a ',' or '"', or has a space at an end, in double quotes, each '"' in
// it twice as in CSV.
std::string to_shown(const Value& value);
// What stands in the quotes that `rest` begins with, and takes them off it; none where the last one lacks.
std::optional<std::string> take_quoted(std::string_view& rest);

// As a preprocessor sees it: bools are 1 and 0, all else as to_string; a double always has a '.' or an 'e'.
std::string to_define(const Value& value);

// Whole or real, not a bool.
bool is_number(const Value& value);

// Of a number, or 1 and 0 of a bool. Throws std::bad_variant_access for text.
double to_double(const Value& value);

// The inverse of to_string: "true", "8", "0.5", anything else is text.
Value parse_value(const std::string& text);

}  // namespace tailwave
