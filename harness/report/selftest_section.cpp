#include "report/selftest_section.h"

#include <fmt/format.h>

#include "report/markdown.h"
#include "report/queries.h"
#include "report/units.h"

namespace tailwave {
namespace {

// The columns of tables/selftest.sql.
enum Column : std::size_t { device, run_at, name, quantity, value, unit, expectation, passed, detail };

std::string text_of(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : prose(*text);
}

std::string value_of(const std::vector<Cell>& row) {
  const auto* number = std::get_if<double>(&row[value]);
  return number == nullptr ? "" : format_number(*number) + " " + text_of(row[unit]);
}

std::string verdict_of(const Cell& cell) {
  const auto* verdict = std::get_if<std::int64_t>(&cell);
  if (verdict == nullptr) return "";
  return *verdict != 0 ? "pass" : "**fail**";
}

}  // namespace

std::string selftest_section(Database& database) {
  const Table rows = run_query(database, find_query("selftest"));
  if (rows.rows.empty()) return "";
  std::string text =
      "\n"
      "## Self-tests of the instrument\n\n"
      "The latest `tailwave selftest` of each device; rows without a verdict only inform.\n";
  MarkdownTable table({"device", "when", "check", "quantity", "value:", "expected", "verdict", "detail"});
  for (const std::vector<Cell>& row : rows.rows) {
    table.add({text_of(row[device]), text_of(row[run_at]), text_of(row[name]), text_of(row[quantity]),
               value_of(row), text_of(row[expectation]), verdict_of(row[passed]), text_of(row[detail])});
  }
  return text + "\n" + table.text();
}

}  // namespace tailwave
