#include "spec/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tailwave {
namespace {

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Tokens scan() {
    while (skip_blank()) {
      const std::size_t begin = at_;
      take();
      line_start_ = false;
      found_.tokens.push_back(since(begin));
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] SourceToken since(std::size_t begin) const {
    return {begin, at_, text_.substr(begin, at_ - begin)};
  }
  [[nodiscard]] bool here(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void to(std::size_t position) { at_ = std::min(position, text_.size()); }
  void past(std::string_view what, std::size_t from) {
    const auto found = text_.find(what, from);
    to(found == std::string_view::npos ? text_.size() : found + what.size());
  }

  // To the next token; false at the end.
  bool skip_blank() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        line_start_ = true;
        ++at_;
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
        ++at_;
      } else if (here("//")) {
        skip_line();
      } else if (text_[at_] == '#' && line_start_) {
        const std::size_t begin = at_;
        skip_line();
        found_.directives.push_back(since(begin));
      } else if (here("/*")) {
        past("*/", at_ + 2);
      } else {
        return true;
      }
    }
    return false;
  }

  // To the line's end, over lines that end with a backslash.
  void skip_line() {
    std::size_t end = text_.find('\n', at_);
    while (end != std::string_view::npos && end > 0 && text_[end - 1] == '\\')
      end = text_.find('\n', end + 1);
    to(end);
  }

  void take() {
    if (is_word(text_[at_])) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && (is_word(text_[at_]) || is_digit_separator(begin))) ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      if (here("\"") && word.back() == 'R' && word.size() <= 3) take_raw();
      return;
    }
    if (text_[at_] == '"' || text_[at_] == '\'') {
      take_quoted(text_[at_]);
      return;
    }
    ++at_;
  }

  [[nodiscard]] bool is_digit_separator(std::size_t word) const {
    return text_[at_] == '\'' && text_[word] >= '0' && text_[word] <= '9';
  }

  void take_quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    to(at_ + 1);
  }

  void take_raw() {
    const auto open = text_.find('(', at_);
    if (open == std::string_view::npos) return to(text_.size());
    past(fmt::format("){}\"", text_.substr(at_ + 1, open - at_ - 1)), open);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  Tokens found_;
};

}  // namespace

int line_at(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

Tokens tokens_of(std::string_view text) {
  return Scanner(text).scan();
}

}  // namespace tailwave
