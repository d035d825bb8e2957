#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "core/members.h"
#include "core/value.h"
#include "store/database.h"
#include "store/statement.h"

namespace tailwave {

inline constexpr int kRecordedVersion = 1;

// JSON text with sorted keys, one member or element a line; arrays and objects of plain values alone stay on one line.
std::string pretty(const nlohmann::json& document);

// JSON has no infinities; they are written as text, and SQL's NULL as null.
nlohmann::json cell_json(const Cell& cell);

// Of the samples of a trial, which are an array a member: what few have is an object instead, by the sample's index.
inline constexpr const char* kSparseColumn = "dropped";

// The columns of a record that hold JSON text.
template <Record R>
std::vector<std::string> nested_columns() {
  std::vector<std::string> names;
  for_each_member<R, kNotRow>([&](const auto& one) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(one)>::Type, Values>)
      names.emplace_back(one.name);
  });
  return names;
}

// The current row as an object. Columns that hold JSON text are given as `nested`; NULLs are left out.
nlohmann::json row_object(const Statement& statement, const std::vector<std::string>& nested = {});

}  // namespace tailwave
