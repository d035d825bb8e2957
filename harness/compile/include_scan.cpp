#include "compile/include_scan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "spec/tokens.h"

namespace tailwave {
namespace {

// What compilers disagree about.
struct Dialect {
  bool trigraphs = false;
  bool blanks_join = false;    // a backslash continues a line although blanks follow it
  bool quotes_to_end = false;  // a quote that nothing closes takes the rest of its line
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_of_word(char c) {
  return c == '_' || c == '$' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

// The source with its lines joined, and where each character comes from.
struct JoinedLines {
  std::string text;
  std::vector<std::size_t> from;
};

// The character that a trigraph at the beginning stands for; 0: there is none.
char trigraph(std::string_view source) {
  constexpr std::string_view kLast = "=/'()!<>-", kMeant = "#\\^[]|{}~";
  if (source.size() < 3 || !source.starts_with("??")) return 0;
  const std::size_t place = kLast.find(source[2]);
  return place == std::string_view::npos ? '\0' : kMeant[place];
}

JoinedLines joined(std::string_view source, const Dialect& dialect) {
  JoinedLines lines;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  for (std::size_t i = source.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; i < source.size();) {
    const char meant = dialect.trigraphs ? trigraph(source.substr(i)) : '\0';
    const std::size_t next = i + (meant != 0 ? 3 : 1);
    const char c = meant != 0 ? meant : source[i];
    std::size_t end = next;
    while (c == '\\' && end < source.size() &&
           (source[end] == '\r' || (dialect.blanks_join && is_blank(source[end]))))
      ++end;
    if (c == '\\' && end < source.size() && source[end] == '\n') {
      i = end + 1;
      continue;
    }
    lines.text += c;
    lines.from.push_back(i);
    i = next;
  }
  return lines;
}

class IncludeScanner {
 public:
  IncludeScanner(std::string_view source, const Dialect& dialect)
      : source_(source), dialect_(dialect), lines_(joined(source, dialect)), text_(lines_.text) {}

  std::vector<IncludeDirective> scan() {
    while (skip_blank()) {
      const bool begins = std::exchange(line_start_, false);
      if (begins && (here("#") || here("%:")))
        take_directive();
      else
        take_token();
    }
    return std::move(found_);
  }

  [[nodiscard]] bool has_open_quote() const { return open_quote_; }

 private:
  [[nodiscard]] bool here(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // Over blanks and comments, within a line of the preprocessor.
  void skip_within_line() {
    for (;;) {
      if (at_ < text_.size() && is_blank(text_[at_])) {
        ++at_;
      } else if (here("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (here("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  // To the next token; false at the end.
  bool skip_blank() {
    for (skip_within_line(); next() == '\n'; skip_within_line()) {
      line_start_ = true;
      ++at_;
    }
    return at_ < text_.size();
  }

  std::string_view take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void take_directive() {
    constexpr std::array<std::string_view, 4> kReading{"include", "include_next", "import", "embed"};
    const int line = line_at(source_, lines_.from[at_]);
    at_ += here("#") ? 1 : 2;
    skip_within_line();
    const std::string_view word = take_word();
    if (std::find(kReading.begin(), kReading.end(), word) == kReading.end()) return;
    skip_within_line();
    if (at_ == text_.size() || next() == '\n') return;  // of nothing: no compiler takes it
    IncludeDirective& directive = found_.emplace_back();
    directive.word = word;
    directive.line = line;
    directive.quoted = next() == '"';
    if (!directive.quoted && next() != '<') return;
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find_first_of(directive.quoted ? "\"\n" : ">\n", begin);
    if (end == std::string_view::npos || text_[end] == '\n') return;
    directive.name = text_.substr(begin, end - begin);
    at_ = end + 1;
  }

  void take_token() {
    const bool is_number =
        is_digit(next()) || (next() == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
    if (is_number) return take_number();
    if (is_of_word(next())) {
      constexpr std::array<std::string_view, 5> kRaw{"R", "LR", "uR", "UR", "u8R"};
      const std::string_view word = take_word();
      if (next() == '"' && std::find(kRaw.begin(), kRaw.end(), word) != kRaw.end()) take_raw();
      return;
    }
    if (next() == '"' || next() == '\'') return take_quoted();
    ++at_;
  }

  // With the quotes that separate its digits.
  void take_number() {
    const auto separates = [&] {
      return text_[at_] == '\'' && at_ + 1 < text_.size() && is_of_word(text_[at_ + 1]);
    };
    while (at_ < text_.size() && (is_of_word(text_[at_]) || text_[at_] == '.' || separates())) ++at_;
  }

  void take_quoted() {
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    const bool closed = end < text_.size() && text_[end] == quote;
    if (closed) {
      at_ = end + 1;
    } else {
      open_quote_ = true;
      at_ = dialect_.quotes_to_end ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    }
  }

  // Lines of a raw string are not joined.
  void take_raw() {
    const std::size_t quote = lines_.from[at_];
    const std::size_t open = source_.find_first_of("( )\\\t\v\f\n\"", quote + 1);
    if (open == std::string_view::npos || source_[open] != '(') return take_quoted();
    const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = source_.find(close, open);
    if (end == std::string_view::npos) return take_quoted();
    const auto after = std::lower_bound(lines_.from.begin(), lines_.from.end(), end + close.size());
    at_ = static_cast<std::size_t>(after - lines_.from.begin());
  }

  std::string_view source_;
  Dialect dialect_;
  JoinedLines lines_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true, open_quote_ = false;
  std::vector<IncludeDirective> found_;
};

bool has_blanks_after_backslash(std::string_view source) {
  for (std::size_t at = source.find('\\'); at != std::string_view::npos; at = source.find('\\', at + 1)) {
    const std::size_t end = source.find_first_not_of(" \t\r\f\v", at + 1);
    if (end != std::string_view::npos && end > at + 1 && source[end] == '\n') return true;
  }
  return false;
}

}  // namespace

std::vector<IncludeDirective> include_directives(std::string_view source) {
  const bool trigraphs_matter = source.find("??") != std::string_view::npos;
  const bool blanks_matter = trigraphs_matter || has_blanks_after_backslash(source);
  std::vector<IncludeDirective> all;
  for (const bool trigraphs : {false, true}) {
    for (const bool blanks_join : {false, true}) {
      if ((trigraphs && !trigraphs_matter) || (blanks_join && !blanks_matter)) continue;
      for (const bool quotes_to_end : {false, true}) {
        IncludeScanner scanner(source, {trigraphs, blanks_join, quotes_to_end});
        for (IncludeDirective& one : scanner.scan())
          if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
        if (!scanner.has_open_quote()) break;  // the other dialect would find the same
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const IncludeDirective& a, const IncludeDirective& b) { return a.line < b.line; });
  return all;
}

}  // namespace tailwave
