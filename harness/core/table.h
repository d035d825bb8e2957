#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tailwave {

// std::monostate: no value (SQL NULL).
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

// No value where there is none, or no text.
Cell cell_of(std::optional<double> value);
Cell cell_of(std::string_view text);

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

enum class TableFormat { table, csv, json, markdown };
// Throws Error (bad usage) that names the formats.
TableFormat parse_table_format(std::string_view text);

// table: aligned columns, numbers to the right, up to 6 significant digits, "-" for no value, text as printable() on
// one line. markdown: the same as a pipe table, text through escape_markdown. csv: RFC 4180 with LF line ends, full
// precision, empty for no value, text as it is. json: an array of objects, one a line, full precision, null for no
// value and for NaN and infinities; the second column of a name "x" is "x_2".
std::string render(const Table& table, TableFormat format);

// Without columns in which every row is empty.
Table without_empty_columns(const Table& table);

// A table of two rows or more without the columns that are the same in all of them, and these in words,
// "device NVIDIA H200, kind cuda"; "" where there are none. One column stays where all are the same.
struct FactoredTable {
  std::string common;
  Table rest;
};
FactoredTable without_constant_columns(const Table& table);

// Text that a Markdown table cell shows as printable() on one line: '|' and HTML are escaped.
std::string escape_markdown(std::string_view text);

}  // namespace tailwave
