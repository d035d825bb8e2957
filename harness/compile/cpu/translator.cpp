#include "compile/cpu/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "spec/tokens.h"

namespace tailwave {
namespace {

class Translator {
 public:
  explicit Translator(std::string_view source) : source_(source), tokens_(tokens_of(source).tokens) {}

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
  std::vector<SourceToken> tokens_;
  std::vector<bool> inside_function_;  // one a brace that is open
  std::string result_;
  std::size_t copied_ = 0;  // of source_
};

}  // namespace

std::string translate_for_cpu(std::string_view source) {
  return Translator(source).translate();
}

}  // namespace tailwave
