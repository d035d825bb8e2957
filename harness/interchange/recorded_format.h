#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/statement.h"

namespace tailwave {

inline constexpr int kRecordedVersion = 1;

// JSON text with sorted keys, one member or element a line; arrays and objects of plain values alone stay on one line.
std::string pretty(const nlohmann::json& document);

// JSON has no infinities; they are written as text, and SQL's NULL as null.
nlohmann::json cell_json(const Cell& cell);

// The current row as an object. Columns that hold JSON text are given as `nested`; NULLs are left out.
nlohmann::json row_object(const Statement& statement, const std::vector<std::string>& nested = {});

}  // namespace tailwave
