#include "store/record_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tailwave::row_detail {

std::string insert_sql(std::string_view table, const std::vector<std::string>& columns) {
  const std::vector<std::string> places(columns.size(), "?");
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "),
                     fmt::join(places, ", "));
}

std::string find_sql(std::string_view table, const std::vector<std::string>& columns) {
  return fmt::format("SELECT id FROM {} WHERE {} IS ?", table, fmt::join(columns, " IS ? AND "));
}

std::string column_sql(std::string_view table, const std::vector<std::string>& columns) {
  return fmt::format("{0}.{1}", table, fmt::join(columns, fmt::format(", {}.", table)));
}

}  // namespace tailwave::row_detail
