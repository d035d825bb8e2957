#include "core/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/value.h"

namespace tailwave {
namespace {

const std::vector<std::string> kFormats{"table", "csv", "json", "markdown"};

bool is_text(const Cell& cell) {
  return std::holds_alternative<std::string>(cell);
}
bool is_number(const Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

// Text with control characters, line ends among them, turned into spaces.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
      ' ');
  return text;
}

std::string readable(const Cell& cell) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{:.6g}", number); }
    std::string operator()(const std::string& text) const { return one_line(text); }
  };
  return std::visit(Visitor{}, cell);
}

const Cell& cell_at(const std::vector<Cell>& row, std::size_t column) {
  static const Cell nothing;
  return column < row.size() ? row[column] : nothing;
}

// A column of numbers alone, "no value" aside.
bool is_numeric(const Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    if (is_text(cell_at(row, column))) return false;
    any = any || is_number(cell_at(row, column));
  }
  return any;
}

std::string aligned(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::size_t width = display_width(table.columns[column]);
    for (const auto& row : table.rows) width = std::max(width, display_width(readable(cell_at(row, column))));
    widths.push_back(width);
  }
  std::string text;
  const auto end_line = [&text] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  const auto add = [&](std::size_t column, const std::string& content, bool to_the_right) {
    if (column > 0) text += "  ";
    const std::string padding(widths[column] - display_width(content), ' ');
    text += to_the_right ? padding + content : content + padding;
  };
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    add(column, one_line(table.columns[column]), is_numeric(table, column));
  end_line();
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    add(column, std::string(widths[column], '-'), false);
  end_line();
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const Cell& cell = cell_at(row, column);
      add(column, readable(cell), is_number(cell) || (!is_text(cell) && is_numeric(table, column)));
    }
    end_line();
  }
  return text;
}

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
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return json_text(*text);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || !std::isfinite(*number)) return "null";
  return to_string(Value{*number});
}

// Written by hand so that the members keep the order of the columns.
std::string json(const Table& table) {
  std::string text = "[";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += row > 0 ? ",\n  {" : "\n  {";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      text += column > 0 ? ", " : "";
      text += json_text(table.columns[column]) + ": " + json_cell(cell_at(table.rows[row], column));
    }
    text += '}';
  }
  return text + (table.rows.empty() ? "]\n" : "\n]\n");
}

}  // namespace

TableFormat parse_table_format(std::string_view text) {
  const auto found = std::find(kFormats.begin(), kFormats.end(), text);
  if (found != kFormats.end()) return static_cast<TableFormat>(found - kFormats.begin());
  const std::string near = nearest(std::string(text), kFormats);
  throw Error(Diagnostic{"", "", fmt::format("unknown format '{}': use table, csv, json or markdown", text),
                         "", -1, near.empty() ? "" : fmt::format("did you mean '{}'?", near)});
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string escape_markdown(std::string_view text) {
  std::string escaped;
  for (const char c : one_line(std::string(text))) {
    switch (c) {
      case '|':
        escaped += "\\|";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
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
  return aligned(table);
}

}  // namespace tailwave
