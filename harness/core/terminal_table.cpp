#include "core/terminal_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/printable.h"
#include "core/table_text.h"

namespace tailwave {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kNarrowest = 20;  // no text is folded to less

struct Column {
  std::string heading;
  std::vector<std::string> cells;
  std::vector<bool> to_the_right;
  std::size_t natural = 0;  // the width that needs no folding
  std::size_t width = 0;
  bool may_fold = false;
};

std::vector<Column> columns_of(const Table& table) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Column& column = columns.emplace_back();
    column.heading = printable(table.columns[i], LineEnds::as_spaces);
    column.width = display_width(column.heading);
    const bool numeric = is_numeric(table, i);
    column.may_fold = !numeric;
    for (const auto& row : table.rows) {
      const Cell& cell = cell_at(row, i);
      column.cells.push_back(readable(cell));
      column.to_the_right.push_back(is_number(cell) || (!is_text(cell) && numeric));
      column.width = std::max(column.width, display_width(column.cells.back()));
    }
    column.natural = column.width;
  }
  return columns;
}

std::size_t total_width(const std::vector<Column>& columns) {
  const std::size_t gaps = columns.empty() ? 0 : (columns.size() - 1) * kGap.size();
  return std::accumulate(columns.begin(), columns.end(), gaps,
                         [](std::size_t sum, const Column& column) { return sum + column.width; });
}

// Takes from the widest texts first. False where folding alone does not do.
bool narrow(std::vector<Column>& columns, std::size_t most) {
  while (total_width(columns) > most) {
    Column* widest = nullptr;
    for (Column& column : columns)
      if (column.may_fold && column.width > kNarrowest && (widest == nullptr || column.width > widest->width))
        widest = &column;
    if (widest == nullptr) return false;
    --widest->width;
  }
  return true;
}

// For tables below each other: two texts fit beside each other.
void cap(std::vector<Column>& columns, std::size_t most) {
  const std::size_t half = (most - std::min(most, kGap.size())) / 2;
  for (Column& column : columns)
    if (column.may_fold) column.width = std::min(column.natural, std::max(kNarrowest, half));
}

// Lines of at most `width`, ended at spaces, or else after what joins the words of a name.
std::vector<std::string> folded(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    const std::size_t most = bytes_of_columns(text, width);
    std::size_t end = text.rfind(' ', most);
    if (end == std::string_view::npos || end == 0) {
      const std::size_t joint = text.find_last_of(",;/", most - 1);
      end = joint == std::string_view::npos || joint < most / 2 ? most : joint + 1;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), text[end] == ' ' ? end + 1 : end));
  }
  lines.emplace_back(text);
  return lines;
}

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";

// How words that judge look; empty: as everything else.
std::string_view colour_of(std::string_view heading, std::string_view text) {
  if (heading != "outcome" && heading != "verdict" && heading != "status" && heading != "B_is") return "";
  if (text == "-" || text.empty()) return "";
  constexpr std::array<std::string_view, 9> kGood{"correct", "confirmed", "pass", "faster", "fixed",
                                                  "done",    "planned",   "best", "tied"};
  constexpr std::array<std::string_view, 12> kOpen{
      "not testable here", "unclear",   "same",          "skipped_identical", "running", "not comparable",
      "only in A",         "only in B", "other outcome", "reference",         "plain",   "given_up"};
  if (std::find(kGood.begin(), kGood.end(), text) != kGood.end()) return kGreen;
  return std::find(kOpen.begin(), kOpen.end(), text) != kOpen.end() ? kYellow : kRed;
}

struct Piece {
  std::vector<std::string> lines;
  std::size_t width;
  bool to_the_right;
  std::string_view colour;
};

// One row of the table, as many lines as its tallest piece.
void add_row(std::string& text, const std::vector<Piece>& pieces) {
  std::size_t height = 0;
  for (const Piece& piece : pieces) height = std::max(height, piece.lines.size());
  for (std::size_t line = 0; line < height; ++line) {
    std::string blank;  // written only before something else
    for (const Piece& piece : pieces) {
      const std::string content = line < piece.lines.size() ? piece.lines[line] : "";
      const std::string padding(piece.width - std::min(piece.width, display_width(content)), ' ');
      if (piece.to_the_right) blank += padding;
      if (!content.empty()) {
        text += blank;
        blank.clear();
        text.append(piece.colour).append(content).append(piece.colour.empty() ? "" : kPlain);
      }
      if (!piece.to_the_right) blank += padding;
      blank += kGap;
    }
    text += '\n';
  }
}

std::string laid_out(const std::vector<const Column*>& columns, std::size_t rows, bool colour) {
  std::string text;
  std::vector<Piece> pieces;
  const auto heading_right = [](const Column& column) { return !column.may_fold; };
  for (const Column* column : columns)
    pieces.push_back({folded(column->heading, column->width), column->width, heading_right(*column),
                      colour ? kBold : std::string_view()});
  add_row(text, pieces);
  pieces.clear();
  for (const Column* column : columns)
    pieces.push_back({{std::string(column->width, '-')}, column->width, false, ""});
  add_row(text, pieces);
  for (std::size_t row = 0; row < rows; ++row) {
    pieces.clear();
    for (const Column* column : columns) {
      const std::string& cell = column->cells[row];
      pieces.push_back({folded(cell, column->width), column->width, column->to_the_right[row],
                        colour ? colour_of(column->heading, cell) : std::string_view()});
    }
    add_row(text, pieces);
  }
  return text;
}

std::size_t width_of(const std::vector<const Column*>& table) {
  return std::accumulate(table.begin(), table.end(), table.empty() ? 0 : (table.size() - 1) * kGap.size(),
                         [](std::size_t sum, const Column* column) { return sum + column->width; });
}

// The first columns, as many as tell the rows apart; all of them where they do not.
std::vector<const Column*> key_of(const std::vector<Column>& columns, std::size_t rows) {
  std::vector<const Column*> key;
  std::vector<std::string> names(rows);
  for (const Column& column : columns) {
    key.push_back(&column);
    for (std::size_t row = 0; row < rows; ++row) names[row] += column.cells[row] + '\n';
    if (std::set<std::string_view>(names.begin(), names.end()).size() == rows) break;
  }
  return key;
}

Column numbers_of(std::size_t rows) {
  Column numbers{.heading = "#", .cells = {}, .to_the_right = std::vector<bool>(rows, true)};
  for (std::size_t row = 1; row <= rows; ++row) numbers.cells.push_back(std::to_string(row));
  numbers.width = numbers.cells.empty() ? 1 : numbers.cells.back().size();
  return numbers;
}

// What each of the tables below each other begins with: what tells the rows apart where any other column fits
// beside it, else their numbers.
std::vector<const Column*> head_of(const std::vector<Column>& columns, const Column& numbers,
                                   std::size_t rows, std::size_t most) {
  std::vector<const Column*> key = key_of(columns, rows);
  std::size_t widest = 0;
  for (std::size_t i = key.size(); i < columns.size(); ++i) widest = std::max(widest, columns[i].width);
  if (columns.size() == 1) return key;
  const bool has_room = key.size() < columns.size() && width_of(key) + kGap.size() + widest <= most;
  return has_room ? key : std::vector<const Column*>{&numbers};
}

// Which columns stand beside each other; the head in each of the tables.
std::vector<std::vector<const Column*>> split(const std::vector<Column>& columns, const Column& numbers,
                                              std::size_t rows, std::size_t most) {
  if (most == 0 || total_width(columns) <= most) {
    std::vector<const Column*> all;
    for (const Column& column : columns) all.push_back(&column);
    return {all};
  }
  const std::vector<const Column*> head = head_of(columns, numbers, rows, most);
  std::vector<std::vector<const Column*>> tables{head};
  for (std::size_t i = head.front() == &numbers ? 0 : head.size(); i < columns.size(); ++i) {
    const bool too_wide = width_of(tables.back()) + kGap.size() + columns[i].width > most;
    if (too_wide && tables.back().size() > head.size()) tables.push_back(head);
    tables.back().push_back(&columns[i]);
  }
  return tables;
}

// Whether a space stands in a command that people may copy: 'tailwave query best --limit 24'.
bool is_in_command(std::string_view line, std::size_t space) {
  const std::size_t begin = line.rfind("'tailwave ", space);
  return begin != std::string_view::npos && line.find('\'', begin + 1) > space;
}

// The last space from `margin` on in the first so many columns, or else the first one behind them.
std::size_t break_in(std::string_view line, std::size_t margin, std::size_t columns) {
  const std::size_t most = bytes_of_columns(line, columns);
  std::size_t found = std::string_view::npos;
  for (std::size_t space = line.find(' ', margin); space != std::string_view::npos;
       space = line.find(' ', space + 1)) {
    if (is_in_command(line, space)) continue;
    if (space > most) return found == std::string_view::npos ? space : found;
    found = space;
  }
  return found;
}

void wrap_line(std::string& text, std::string_view line, std::size_t columns) {
  constexpr std::size_t kFurther = 2;
  std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
  const std::string indent(margin + kFurther, ' ');
  std::size_t room = columns;
  while (display_width(line) > room) {
    const std::size_t end = break_in(line, margin, room);
    const std::size_t next = end == std::string_view::npos ? end : line.find_first_not_of(' ', end);
    if (next == std::string_view::npos) break;
    text.append(line.substr(0, end)).append("\n").append(indent);
    line.remove_prefix(next);
    margin = 0;
    room = columns - std::min(columns - 1, indent.size());
  }
  text += line;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t columns) {
  if (columns < kNarrowest) return std::string(text);
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    wrap_line(lines, text.substr(at, end - at), columns);
    if (end < text.size()) lines += '\n';
    at = end + 1;
  }
  return lines;
}

std::string render_for_terminal(const Table& table, const TerminalStyle& style) {
  std::vector<Column> columns = columns_of(table);
  if (style.columns > 0 && !narrow(columns, style.columns)) cap(columns, style.columns);
  std::string text;
  const Column numbers = numbers_of(table.rows.size());
  for (const std::vector<const Column*>& beside : split(columns, numbers, table.rows.size(), style.columns)) {
    if (!text.empty()) text += '\n';
    text += laid_out(beside, table.rows.size(), style.colour);
  }
  return text;
}

}  // namespace tailwave
