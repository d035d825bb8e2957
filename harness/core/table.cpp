#include "core/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/printable.h"
#include "core/table_text.h"
#include "core/terminal_table.h"
#include "core/value.h"

namespace tailwave {
namespace {

const std::vector<std::string> kFormats{"table", "csv", "json", "markdown"};

std::string markdown(const Table& table) {
  std::string text = "|";
  for (const std::string& column : table.columns) text += fmt::format(" {} |", escape_markdown(column));
  text += "\n|";
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    text += is_numeric(table, column) ? " ---: |" : " --- |";
  text += '\n';
  for (const auto& row : table.rows) {
    text += '|';
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      text += fmt::format(" {} |", escape_markdown(readable(cell_at(row, column))));
    text += '\n';
  }
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&cell)) return to_string(Value{*number});
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  return "";
}

std::string csv(const Table& table) {
  std::string text;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    text.append(column > 0 ? "," : "").append(csv_field(table.columns[column]));
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      text.append(column > 0 ? "," : "").append(csv_cell(cell_at(row, column)));
    text += '\n';
  }
  return text;
}

std::string json_text(const std::string& text) {
  return printable_json(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string json_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return json_text(*text);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || !std::isfinite(*number)) return "null";
  return to_string(Value{*number});
}

// Members of one object have different names.
std::vector<std::string> numbered(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    std::string name = column;
    const auto taken = [&](const std::string& other) {
      return std::find(names.begin(), names.end(), name) != names.end() ||
             (other != column && std::find(columns.begin(), columns.end(), other) != columns.end());
    };
    for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", column, number);
    names.push_back(std::move(name));
  }
  return names;
}

// Written by hand so that the members keep the order of the columns.
std::string json(const Table& table) {
  const std::vector<std::string> names = numbered(table.columns);
  std::string text = "[";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += row > 0 ? ",\n  {" : "\n  {";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      text += column > 0 ? ", " : "";
      text += json_text(names[column]) + ": " + json_cell(cell_at(table.rows[row], column));
    }
    text += '}';
  }
  return text + (table.rows.empty() ? "]\n" : "\n]\n");
}

}  // namespace

bool is_text(const Cell& cell) {
  return std::holds_alternative<std::string>(cell);
}
bool is_number(const Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

std::string readable(const Cell& cell) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{:.6g}", number); }
    std::string operator()(const std::string& text) const { return printable(text, LineEnds::as_spaces); }
  };
  return std::visit(Visitor{}, cell);
}

const Cell& cell_at(const std::vector<Cell>& row, std::size_t column) {
  static const Cell nothing;
  return column < row.size() ? row[column] : nothing;
}

bool is_numeric(const Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    if (is_text(cell_at(row, column))) return false;
    any = any || is_number(cell_at(row, column));
  }
  return any;
}

Cell cell_of(std::optional<double> value) {
  return value ? Cell{*value} : Cell{};
}

Cell cell_of(std::string_view text) {
  return text.empty() ? Cell{} : Cell{std::string(text)};
}

TableFormat parse_table_format(std::string_view text) {
  const auto found = std::find(kFormats.begin(), kFormats.end(), text);
  if (found != kFormats.end()) return static_cast<TableFormat>(found - kFormats.begin());
  const std::string near = nearest(std::string(text), kFormats);
  throw Error(Diagnostic{"", "", fmt::format("unknown format '{}': use table, csv, json or markdown", text),
                         "", -1, near.empty() ? "" : fmt::format("did you mean '{}'?", near)});
}

Table without_empty_columns(const Table& table) {
  Table kept;
  kept.rows.resize(table.rows.size());
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
          return std::holds_alternative<std::monostate>(row[column]);
        }))
      continue;
    kept.columns.push_back(table.columns[column]);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      kept.rows[row].push_back(table.rows[row][column]);
  }
  return kept;
}

FactoredTable without_constant_columns(const Table& table) {
  FactoredTable factored{"", {{}, std::vector<std::vector<Cell>>(table.rows.size())}};
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const bool is_last = column + 1 == table.columns.size() && factored.rest.columns.empty();
    const auto is_first = [&](const auto& row) {
      return cell_at(row, column) == cell_at(table.rows.front(), column);
    };
    if (table.rows.size() > 1 && !is_last && std::all_of(table.rows.begin(), table.rows.end(), is_first)) {
      factored.common += fmt::format("{}{} {}", factored.common.empty() ? "" : ", ",
                                     printable(table.columns[column], LineEnds::as_spaces),
                                     readable(cell_at(table.rows.front(), column)));
      continue;
    }
    factored.rest.columns.push_back(table.columns[column]);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      factored.rest.rows[row].push_back(cell_at(table.rows[row], column));
  }
  return factored;
}

std::string escape_markdown(std::string_view text) {
  return replace_characters(printable(text, LineEnds::as_spaces),
                            {{'|', "\\|"}, {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}});
}

std::string render(const Table& table, TableFormat format) {
  switch (format) {
    case TableFormat::csv:
      return csv(table);
    case TableFormat::json:
      return json(table);
    case TableFormat::markdown:
      return markdown(table);
    case TableFormat::table:
      break;
  }
  return render_for_terminal(table, {});
}

}  // namespace tailwave
