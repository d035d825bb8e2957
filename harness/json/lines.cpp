#include "json/lines.h"

#include <algorithm>
#include <optional>
#include <string>

#include "json/json.h"
#include "json/parser.h"

namespace tailwave {
namespace {

// Walks through text that is known to be JSON.
class LineFinder {
 public:
  explicit LineFinder(std::string_view text) : text_(text) {}

  // The place in the text.
  std::size_t find(std::string_view pointer) {
    skip_blanks();
    std::size_t found = at_;
    while (!pointer.empty()) {
      const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
      const std::optional<std::size_t> inside = enter(pointer.substr(0, end));
      if (!inside) break;
      found = *inside;
      pointer.remove_prefix(end);
    }
    return found;
  }

 private:
  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  void skip_text() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  void skip_value() {
    int depth = 0;
    do {
      const char c = here();
      if (c == '"') {
        skip_text();
        continue;
      }
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      ++at_;
    } while (at_ < text_.size() &&
             (depth > 0 || std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos));
  }

  // To the value of the member or item that the last part of a pointer, "/name", names in the value at hand. Its place, or
  // nothing where it is not there.
  std::optional<std::size_t> enter(std::string_view part) {
    const bool object = here() == '{';
    if (!object && here() != '[') return std::nullopt;
    std::optional<std::size_t> found, value;
    ++at_;
    skip_blanks();
    for (std::size_t index = 0; at_ < text_.size() && here() != '}' && here() != ']'; ++index) {
      const std::size_t begin = at_;
      std::string pointer = pointer_to("", index);
      if (object) pointer = read_key();
      if (pointer == part) found = begin, value = at_;
      skip_value();
      skip_blanks();
      if (here() == ',') ++at_;
      skip_blanks();
    }
    if (value) at_ = *value;
    return found;
  }

  // As part of a pointer; goes on to the value.
  std::string read_key() {
    const std::size_t begin = at_;
    skip_text();
    const std::string literal(text_.substr(begin, at_ - begin));
    skip_blanks();
    ++at_;  // the colon
    skip_blanks();
    return pointer_to("", require_json(literal, "").text());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

int line_of(std::string_view text, std::string_view pointer) {
  const std::size_t place = LineFinder(text).find(pointer);
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

}  // namespace tailwave
