#pragma once

// What the renderings of a table share.

#include <string>
#include <vector>

#include "core/table.h"

namespace tailwave {

// A cell for people: up to 6 significant digits, "-" for no value, text as printable() on one line.
std::string readable(const Cell& cell);

// No value where the row is too short.
const Cell& cell_at(const std::vector<Cell>& row, std::size_t column);

bool is_text(const Cell& cell);
bool is_number(const Cell& cell);
// A column of numbers alone, "no value" aside.
bool is_numeric(const Table& table, std::size_t column);

}  // namespace tailwave
