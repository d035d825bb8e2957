#include "cli/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/printable.h"
#include "listing/line_diff.h"

namespace tailwave {
namespace {

constexpr std::size_t kBetween = 3;  // " | "

std::string_view take_columns(std::string_view& text, std::size_t columns) {
  const std::size_t bytes = std::max<std::size_t>(bytes_of_columns(text, columns), text.empty() ? 0 : 1);
  const std::string_view taken = text.substr(0, bytes);
  text.remove_prefix(taken.size());
  return taken;
}

// One row, in as many lines as its longer side needs.
std::string row_text(std::string_view a, std::string_view b, char mark, std::size_t columns) {
  std::string text;
  do {
    const std::string_view left = take_columns(a, columns), right = take_columns(b, columns);
    std::string line(left);
    line.append(columns - std::min(columns, display_width(left)), ' ');
    line += fmt::format(" {} {}", mark, right);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  } while (!a.empty() || !b.empty());
  return text;
}

// Which rows are shown: those that differ, and some around them.
std::vector<bool> shown_rows(const std::vector<DiffRow>& rows, const SideBySideStyle& style) {
  std::vector<bool> shown(rows.size(), style.all);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].equal) continue;
    const std::size_t begin = row - std::min(row, style.context);
    const std::size_t end = std::min(row + style.context + 1, rows.size());
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(begin),
              shown.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  return shown;
}

}  // namespace

std::string side_by_side(const std::vector<std::string>& a, const std::vector<std::string>& b,
                         const SideBySideStyle& style) {
  constexpr std::size_t kNarrowest = 20;  // of a side
  const std::size_t columns = std::max(kNarrowest, (std::max(style.columns, kBetween) - kBetween) / 2);
  const std::vector<DiffRow> rows = diff_lines(a, b);
  const std::vector<bool> shown = shown_rows(rows, style);
  std::string text;
  for (std::size_t row = 0; row < rows.size();) {
    std::size_t left_out = 0;
    while (row + left_out < rows.size() && !shown[row + left_out]) ++left_out;
    if (left_out > 0) {
      text += fmt::format("... {} equal line{}\n", left_out, left_out == 1 ? "" : "s");
      row += left_out;
      continue;
    }
    const DiffRow& one = rows[row++];
    const char mark = one.equal ? ' ' : one.a && one.b ? '|' : one.a ? '<' : '>';
    text += row_text(one.a ? printable(a[*one.a]) : "", one.b ? printable(b[*one.b]) : "", mark, columns);
  }
  return text;
}

}  // namespace tailwave
