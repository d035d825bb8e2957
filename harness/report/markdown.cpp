#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/printable.h"
#include "core/table.h"

namespace tailwave {
namespace {

// Whether the character is the backslash that escape_markdown put before a '|'.
bool is_of_pipe(const std::string& escaped, std::size_t at) {
  return escaped[at] == '\\' && at + 1 < escaped.size() && escaped[at + 1] == '|';
}

// Without the ':' that aligns the column.
std::string_view shown_heading(std::string_view heading) {
  if (heading.ends_with(':')) heading.remove_suffix(1);
  return heading;
}

}  // namespace

std::vector<std::size_t> MarkdownTable::shown_columns() const {
  std::vector<std::size_t> shown;
  for (std::size_t column = 0; column < headings_.size(); ++column)
    if (std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return !row[column].empty(); }))
      shown.push_back(column);
  return shown;
}

bool MarkdownTable::is_text(std::size_t column) const {
  const auto of_text = std::ranges::count_if(rows_, [&](const auto& row) {
    const std::string& cell = row[column];
    return !cell.empty() && (std::isalpha(static_cast<unsigned char>(cell.front())) != 0 ||
                             std::string_view("`<*\\").find(cell.front()) != std::string_view::npos);
  });
  const auto filled = std::ranges::count_if(rows_, [&](const auto& row) { return !row[column].empty(); });
  return 2 * of_text > filled;
}

std::string MarkdownTable::text() const {
  return table_of(shown_columns());
}

std::string MarkdownTable::text_said_once() const {
  constexpr std::size_t kFewestRows = 3;
  std::vector<std::size_t> shown = shown_columns();
  std::string said;
  std::erase_if(shown, [&](std::size_t column) {
    const auto is_same = [&](const auto& row) { return row[column] == rows_.front()[column]; };
    if (column == 0 || rows_.size() < kFewestRows || !std::all_of(rows_.begin(), rows_.end(), is_same))
      return false;
    said += fmt::format("{}{} {}", said.empty() ? "In all rows: " : ", ", shown_heading(headings_[column]),
                        rows_.front()[column]);
    return true;
  });
  return (said.empty() ? "" : said + ".\n\n") + table_of(shown);
}

std::string MarkdownTable::table_of(const std::vector<std::size_t>& columns) const {
  std::string text = "|";
  std::string rule = "|";
  for (const std::size_t column : columns) {
    text += fmt::format(" {} |", shown_heading(headings_[column]));
    rule += headings_[column].ends_with(':') && !is_text(column) ? " ---: |" : " --- |";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (const std::size_t column : columns) text += fmt::format(" {} |", row[column]);
    text += "\n";
  }
  return text;
}

std::string code(const std::string& text) {
  if (text.find_first_of("<>&|`") == std::string::npos)
    return fmt::format("`{}`", printable(text, LineEnds::as_spaces));
  constexpr std::string_view kSpecial = "*_`[]\\|";
  const std::string escaped = escape_markdown(text);
  std::string safe;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (is_of_pipe(escaped, i)) continue;
    if (kSpecial.find(escaped[i]) != std::string_view::npos)
      safe += fmt::format("&#{};", static_cast<int>(escaped[i]));
    else
      safe += escaped[i];
  }
  return fmt::format("<code>{}</code>", safe);
}

std::string prose(const std::string& text) {
  constexpr std::string_view kSpecial = "*`[]";
  const std::string escaped = escape_markdown(text);
  const auto in_word = [&](std::size_t i) {
    return i < escaped.size() && std::isalnum(static_cast<unsigned char>(escaped[i])) != 0;
  };
  std::string safe;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const char c = escaped[i];
    // An underscore inside a word is only itself.
    const bool emphasis = c == '_' && !(i > 0 && in_word(i - 1) && in_word(i + 1));
    const bool backslash = c == '\\' && !is_of_pipe(escaped, i);
    if (emphasis || backslash || kSpecial.find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string address(const std::string& path) {
  constexpr std::string_view kPlain = "/._-";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos)
      text += c;
    else
      text += fmt::format("%{:02X}", static_cast<unsigned>(byte));
  }
  return text;
}

std::string slug(const std::string& text, char joint) {
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0)
      word += static_cast<char>(std::tolower(byte));
    else if (!word.empty() && word.back() != joint)
      word += joint;
  }
  if (word.ends_with(joint)) word.pop_back();
  return word;
}

std::string Footnotes::mark(const std::string& note) {
  auto found = std::find(notes_.begin(), notes_.end(), note);
  if (found == notes_.end()) found = notes_.insert(notes_.end(), note);
  return fmt::format("[{}]", found - notes_.begin() + 1);
}

std::string Footnotes::text() const {
  std::string text;
  for (std::size_t i = 0; i < notes_.size(); ++i) text += fmt::format("{}. {}\n", i + 1, prose(notes_[i]));
  return text;
}

}  // namespace tailwave
