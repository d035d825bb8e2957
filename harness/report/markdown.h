#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tailwave {

// A pipe table. Cells and headings are Markdown already: text from outside goes through escape_markdown
// (core/table.h) or code() first.
class MarkdownTable {
 public:
  // A heading that ends in ':' aligns its column to the right, unless most of its cells are text; the ':' is not shown.
  explicit MarkdownTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Columns in which every row has "" are left out.
  [[nodiscard]] std::string text() const;
  // The same after a line with the columns in which three or more rows all have the same, "In all rows: outcome correct.", which
  // the table then leaves out; the first column stays.
  [[nodiscard]] std::string text_said_once() const;

 private:
  [[nodiscard]] std::string table_of(const std::vector<std::size_t>& columns) const;
  [[nodiscard]] std::vector<std::size_t> shown_columns() const;
  [[nodiscard]] bool is_text(std::size_t column) const;

  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

// Text as inline code that is safe in a table: "N:1" becomes `N:1`, "a|b" <code>a&#124;b</code>.
std::string code(const std::string& text);

// Markdown's own characters escaped too, for running text: * _ ` [ ] \ and what escape_markdown does.
std::string prose(const std::string& text);

// A relative path as the address of a link or an image: "x/a b.md" becomes x/a%20b.md.
std::string address(const std::string& path);

// Letters and digits in lower case, with `joint` between words: "nvidia_h200" of "NVIDIA H200". "" where there are
// none.
std::string slug(const std::string& text, char joint);

// Numbered notes at the end of a page; the same note is numbered once.
class Footnotes {
 public:
  // "[2]" for the note (Markdown).
  std::string mark(const std::string& note);
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> notes_;
};

}  // namespace tailwave
