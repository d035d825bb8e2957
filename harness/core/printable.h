#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tailwave {

enum class LineEnds { kept, as_spaces };

// Text from outside as people may see it on a terminal. What would steer the terminal, or hide or reorder text,
// becomes visible: control characters as "\x1b", those of Unicode's second block (U+0080 to U+009F) and what orders
// text from right to left (U+202A to U+202E, U+2066 to U+2069) as "\u202e", bytes that are not UTF-8 as "\xff". Line
// ends and tabs are left as they are, or become spaces, and so does a carriage return before a line end.
std::string printable(std::string_view text, LineEnds line_ends = LineEnds::kept);

// Columns that printable UTF-8 text takes on a terminal: two for a letter as wide as a Chinese one, none for what joins
// the letter before it.
std::size_t display_width(std::string_view text);
// The bytes of what fits into so many columns.
std::size_t bytes_of_columns(std::string_view text, std::size_t columns);

// JSON that says the same without these characters, which can only stand inside its texts: as "\u001b".
std::string printable_json(std::string_view json);

// Text with some characters replaced, for languages in which they mean something.
struct Replacement {
  char character;
  std::string_view by;
};
std::string replace_characters(std::string_view text, std::initializer_list<Replacement> replacements);

}  // namespace tailwave
