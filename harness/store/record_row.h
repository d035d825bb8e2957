#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/members.h"
#include "json/values.h"
#include "store/database.h"
#include "store/rows.h"

namespace tailwave {

namespace row_detail {

// "INSERT INTO table (a, b) VALUES (?, ?)"
std::string insert_sql(std::string_view table, const std::vector<std::string>& columns);
// "SELECT id FROM table WHERE a IS ? AND b IS ?"
std::string find_sql(std::string_view table, const std::vector<std::string>& columns);
// "table.a, table.b"
std::string column_sql(std::string_view table, const std::vector<std::string>& columns);

template <bool null_if_empty, class T>
void bind_field(Statement& statement, int position, const T& field) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (null_if_empty && field.empty()) return void(statement.bind(position, std::monostate{}));
    statement.bind(position, field);
  } else if constexpr (std::is_same_v<T, Values>) {
    if (null_if_empty && field.empty()) return void(statement.bind(position, std::monostate{}));
    statement.bind(position, to_json(field));
  } else if constexpr (std::is_same_v<T, std::map<std::string, double, std::less<>>>) {
    statement.bind(position, to_json(Values(field.begin(), field.end())));
  } else if constexpr (std::is_enum_v<T>) {
    statement.bind(position, to_string(field));
  } else {
    statement.bind(position, field);
  }
}

// A record that is absent is NULLs.
template <Record R>
void bind_members(Statement& statement, int& position, const R* record) {
  for_each_member<R, kNotRow>([&](const auto& one) {
    using Type = typename std::remove_cvref_t<decltype(one)>::Type;
    const Type* const field = record == nullptr ? nullptr : &(record->*one.place);
    if constexpr (Record<Type>) {
      bind_members(statement, position, field);
    } else if constexpr (Record<Held<Type>>) {
      bind_members<Held<Type>>(statement, position, field != nullptr && *field ? &**field : nullptr);
    } else if (field == nullptr) {
      statement.bind(++position, std::monostate{});
    } else {
      constexpr bool kNullIfEmpty = (std::remove_cvref_t<decltype(one)>::traits & kMayBeAbsent) != 0;
      bind_field<kNullIfEmpty>(statement, ++position, *field);
    }
  });
}

template <class T>
T read_field(const Statement& row, int column) {
  if constexpr (kIsOptional<T>) {
    return row.is_null(column) ? T() : T(read_field<Held<T>>(row, column));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return row.text(column);
  } else if constexpr (std::is_same_v<T, Values>) {
    return row.is_null(column) ? Values() : from_json(row.text(column));
  } else if constexpr (std::is_enum_v<T>) {
    return from_string<T>(row.text(column));
  } else if constexpr (std::is_floating_point_v<T>) {
    return row.is_null(column) ? std::numeric_limits<T>::quiet_NaN() : row.real(column);
  } else {
    return static_cast<T>(row.integer(column));
  }
}

template <Record R>
void read_columns(const Statement& row, int& column, R& record) {
  for_each_member<R, kNotRow>([&](const auto& one) {
    auto& field = record.*one.place;
    using Type = typename std::remove_cvref_t<decltype(one)>::Type;
    if constexpr (Record<Type>) {
      read_columns(row, column, field);
    } else if constexpr (Record<Held<Type>>) {
      if (row.is_null(column))
        column += static_cast<int>(column_names<Held<Type>>().size());
      else
        read_columns(row, column, field.emplace());
    } else {
      field = read_field<Type>(row, column++);
    }
  });
}

}  // namespace row_detail

// What a query selects of a table for read_row().
template <Record R>
std::string columns_of(std::string_view table) {
  return row_detail::column_sql(table, column_names<R>());
}

// The record whose columns a row has from `first` on.
template <Record R>
R read_row(const Statement& row, int first = 0) {
  R record;
  row_detail::read_columns(row, first, record);
  return record;
}

// Adds records to a table, each time one of each R as a row: the columns `given`, of what the records do not know,
// and those of their members.
template <Record... R>
class RowInsert {
 public:
  RowInsert(Database& database, std::string_view table, std::vector<std::string> given = {})
      : database_(database), statement_(database.prepare(sql(table, std::move(given)))) {}

  // Gives the row's id, where the table has one. `given` as in the constructor.
  template <class... T>
  std::int64_t add(const R&... records, const T&... given) {
    int position = 0;
    (statement_.bind(++position, given), ...);
    (row_detail::bind_members(statement_, position, &records), ...);
    statement_.run();
    return database_.last_row_id();
  }

 private:
  static std::string sql(std::string_view table, std::vector<std::string> columns) {
    [[maybe_unused]] const auto append = [&](const std::vector<std::string>& more) {
      columns.insert(columns.end(), more.begin(), more.end());
    };
    (append(column_names<R>()), ...);
    return row_detail::insert_sql(table, columns);
  }

  Database& database_;
  Statement statement_;
};

// The id of the row whose columns are those of the record.
template <Record R>
std::optional<std::int64_t> find_row(Database& database, std::string_view table, const R& record) {
  Statement statement = database.prepare(row_detail::find_sql(table, column_names<R>()));
  int position = 0;
  row_detail::bind_members(statement, position, &record);
  if (!statement.step()) return std::nullopt;
  return statement.integer(0);
}

// The same, none where the first of the columns is NULL.
template <Record R>
std::optional<R> read_optional_row(const Statement& row, int first = 0) {
  if (row.is_null(first)) return std::nullopt;
  return read_row<R>(row, first);
}

}  // namespace tailwave
