#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tailwave {

// std::monostate: no value (SQL NULL).
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

enum class TableFormat { table, csv, json, markdown };
// Throws Error (bad usage) that names the formats.
TableFormat parse_table_format(std::string_view text);

// table: aligned columns, numbers to the right, up to 6 significant digits, "-" for no value.
// markdown: the same numbers as a pipe table, '|' escaped. csv: RFC 4180, full precision, empty for no value.
// json: an array of objects, full precision, null for no value and for NaN and infinities.
std::string render(const Table& table, TableFormat format);

}  // namespace tailwave
