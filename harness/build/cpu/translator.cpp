#include "build/cpu/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace tailwave {
namespace {

struct Token {
  std::size_t begin = 0, end = 0;
  std::string_view text;
};

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Words and single punctuation characters of C++ text, without white space, comments and preprocessor lines. A
// literal is one token.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> scan() {
    std::vector<Token> tokens;
    while (skip_blank()) {
      const std::size_t begin = at_;
      take();
      line_start_ = false;
      tokens.push_back({begin, at_, text_.substr(begin, at_ - begin)});
    }
    return tokens;
  }

 private:
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
      } else if (here("//") || (text_[at_] == '#' && line_start_)) {
        skip_line();
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
};

class Translator {
 public:
  explicit Translator(std::string_view source) : source_(source), tokens_(Scanner(source).scan()) {}

  std::string translate() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      follow_scope(i);
      if (is(i, "__shared__") && is(i + 1, "alignas")) {
        replace(tokens_[i + 1].begin, tokens_[i + 1].end, "__align__");
      } else if (const auto last = dynamic_shared(i)) {
        i = *last;
      }
    }
    result_ += source_.substr(copied_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }

  // Whether the brace at i opens a namespace or a linkage block.
  [[nodiscard]] bool opens_namespace(std::size_t i) const {
    constexpr std::array<std::string_view, 4> kEnds{";", "{", "}", ")"};
    while (i-- > 0) {
      if (is(i, "namespace")) return true;
      if (is(i, "extern")) return is(i + 1, "\"C\"") || is(i + 1, "\"C++\"") ? is(i + 2, "{") : false;
      if (std::find(kEnds.begin(), kEnds.end(), tokens_[i].text) != kEnds.end()) return false;
    }
    return false;
  }

  void follow_scope(std::size_t i) {
    if (is(i, "{")) inside_function_.push_back(in_function() || !opens_namespace(i));
    if (is(i, "}") && !inside_function_.empty()) inside_function_.pop_back();
  }

  [[nodiscard]] bool in_function() const { return !inside_function_.empty() && inside_function_.back(); }

  void replace(std::size_t begin, std::size_t end, std::string_view text) {
    result_ += source_.substr(copied_, begin - copied_);
    result_ += text;
    const std::string_view replaced = source_.substr(begin, end - begin);
    result_.append(static_cast<std::size_t>(std::count(replaced.begin(), replaced.end(), '\n')), '\n');
    copied_ = end;
  }

  // The token after the parenthesis that closes the one at i.
  [[nodiscard]] std::size_t after_parentheses(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      if (is(i, "(")) ++depth;
      if (is(i, ")") && --depth == 0) return i + 1;
    }
    return i;
  }

  // Rewrites a declaration of dynamic shared memory that begins at i; its last token.
  std::optional<std::size_t> dynamic_shared(std::size_t first) {
    const bool begins = is(first, "extern") || (is(first, "__shared__") && is(first + 1, "extern"));
    if (!begins) return std::nullopt;
    std::vector<std::size_t> type;
    bool shared = false;
    std::size_t i = first;
    while (i < tokens_.size() && !is(i, "[")) {
      if (is(i, ";") || is(i, "{") || is(i, "=") || tokens_[i].text.starts_with('"')) return std::nullopt;
      if (is(i, "__align__") || is(i, "alignas") || is(i, "__attribute__")) {
        i = after_parentheses(i + 1);
        continue;
      }
      shared = shared || is(i, "__shared__");
      if (!is(i, "extern") && !is(i, "__shared__")) type.push_back(i);
      ++i;
    }
    if (!shared || type.size() < 2 || !is(i, "[") || !is(i + 1, "]")) return std::nullopt;
    const std::size_t dimensions = i + 2;
    while (i < tokens_.size() && !is(i, ";")) {
      if (is(i, ",")) return std::nullopt;
      ++i;
    }
    if (i == tokens_.size()) return std::nullopt;
    const std::string_view name = tokens_[type.back()].text;
    type.pop_back();
    replace(
        tokens_[first].begin, tokens_[i].end,
        fmt::format("{}auto* const {} = ::tailwave_cpu::dynamic_shared<{}{}>();",
                    in_function() ? "" : "static thread_local ", name, joined(type), joined(dimensions, i)));
    return i;
  }

  // The tokens with a space wherever something was between them.
  [[nodiscard]] std::string joined(const std::vector<std::size_t>& words) const {
    std::string text;
    std::size_t end = 0;
    for (const std::size_t i : words) {
      if (!text.empty() && tokens_[i].begin != end) text += ' ';
      text += tokens_[i].text;
      end = tokens_[i].end;
    }
    return text;
  }

  [[nodiscard]] std::string joined(std::size_t from, std::size_t to) const {
    std::vector<std::size_t> range;
    for (; from < to; ++from) range.push_back(from);
    return joined(range);
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<bool> inside_function_;  // one a brace that is open
  std::string result_;
  std::size_t copied_ = 0;  // of source_
};

}  // namespace

std::string translate_for_cpu(std::string_view source) {
  return Translator(source).translate();
}

}  // namespace tailwave
