#include "json/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "core/utf16.h"

namespace tailwave {
namespace {

using nlohmann::ordered_json;

// Whoever walks a document, or ends its life, calls itself so often.
constexpr std::size_t kDeepest = 100;
constexpr const char* kBlanks = " \t\r\n";

// What nlohmann says, without what is said otherwise: "[json.exception.parse_error.101] parse error at line 1, column
// 2: syntax error while parsing object key - unexpected ']'; expected string literal" -> "while parsing object key -
// unexpected ']'; expected string literal".
std::string explanation(std::string text) {
  for (const char* before : {"] ", ": ", "syntax error "}) {
    const std::size_t found = text.find(before);
    if (found != std::string::npos) text.erase(0, found + std::string_view(before).size());
  }
  const std::size_t last_read = text.find("; last read: ");
  const std::size_t expected = std::min(text.find("; expected "), text.size());
  if (last_read < expected) text.erase(last_read, expected - last_read);
  return text;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Where a list could end or go on, another value begins.
bool lacks_comma(std::string_view cause) {
  const bool after_value = cause.ends_with("; expected '}'") || cause.ends_with("; expected ']'");
  return after_value &&
         std::ranges::any_of(std::array{"unexpected string literal", "unexpected number literal",
                                        "unexpected '['", "unexpected '{'", "unexpected true literal",
                                        "unexpected false literal", "unexpected null literal"},
                             [&](const char* value) { return cause.find(value) != std::string_view::npos; });
}

std::string hint_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "";
  const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(kBlanks, at - 1);
  const bool after_comma = before != std::string_view::npos && text[before] == ',';
  if ((text[at] == '}' || text[at] == ']') && after_comma) return "remove the comma before it";
  const bool slash = text[at] == '/' || (at > 0 && text[at - 1] == '/');
  if (slash || text[at] == '#') return "JSON has no comments";
  if (text[at] == '\'') return "JSON has double quotes only";
  return "";
}

// The line of a place with a caret below it; of a very long line the part around it.
void quote(std::string_view line, std::size_t column, Diagnostic& diagnostic) {
  constexpr std::size_t kBefore = 100, kMost = 160;
  std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  if (column > begin + kBefore && line.size() - begin > kMost) begin = column - kBefore;
  diagnostic.excerpt = line.substr(begin, kMost);
  diagnostic.column = static_cast<int>(column) - static_cast<int>(begin);
  std::replace(diagnostic.excerpt.begin(), diagnostic.excerpt.end(), '\t', ' ');
}

// An object or array that is open.
struct Level {
  explicit Level(ordered_json* opened, std::string place) : container(opened), pointer(std::move(place)) {}

  ordered_json* container;
  std::string pointer;
  std::string key;                 // of an object: of its last member
  ordered_json* member = nullptr;  // the last one
  // Of an object with many members: their keys.
  std::unordered_set<std::string> keys;

  // The member of this key; null where there is none yet.
  ordered_json* find(const std::string& name) {
    constexpr std::size_t kMany = 32;
    auto& members = container->get_ref<ordered_json::object_t&>();
    if (members.size() >= kMany) {
      if (keys.empty())
        for (const auto& entry : members) keys.insert(entry.first);
      if (keys.insert(name).second) return nullptr;
    }
    const auto found =
        std::find_if(members.begin(), members.end(), [&](const auto& entry) { return entry.first == name; });
    return found == members.end() ? nullptr : &found->second;
  }
};

// Builds a document from the parser's events. nlohmann's own builder keeps the last of two members of one key, and
// knows no place.
class Builder : public nlohmann::json_sax<ordered_json> {
 public:
  Builder(std::string_view text, std::string file, Diagnostics& diagnostics)
      : text_(text), file_(std::move(file)), diagnostics_(diagnostics) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (std::in_range<std::int64_t>(value)) return add(static_cast<std::int64_t>(value));
    return add_large(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    const bool is_whole = text.find_first_of(".eE") == std::string::npos;
    return is_whole ? add_large(value, text) : add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*elements*/) override { return open(ordered_json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(ordered_json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    level.member = level.find(name);
    if (level.member == nullptr) {
      auto& members = level.container->get_ref<ordered_json::object_t&>();
      level.member = &members.emplace_back(name, nullptr).second;
    } else {
      report(fmt::format("duplicate key '{}'", name), "keep one of the two");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    const std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
    ends_early_ = text_.find_first_not_of(kBlanks, at) == std::string_view::npos;
    for (const char* word : {"NaN", "Infinity"}) {
      if (!begins_with(at, word)) continue;
      report(fmt::format("{} is not a number that JSON has", word), "leave it out, or give a number");
      return false;
    }
    const std::string cause = explanation(error.what());
    const auto end = end_before(at, token);
    if (end && *end == begin_of(at, token) && is_digit(text_[*end]) && text_[*end - 1] == '0')
      report_syntax(*end - 1, "a number begins with 0", "leave the 0 out: JSON has decimal numbers alone");
    else if (end && lacks_comma(cause))
      report_syntax(*end, "a comma is missing after this value");
    else if (end && cause.ends_with("; expected ':'"))
      report_syntax(*end, "a colon is missing after this key");
    else
      report_syntax(at, cause);
    return false;
  }

  // nlohmann's parser takes it for the end of the text.
  // What no JSON text has.
  bool refuse_bytes() {
    if (is_utf16(text_)) {
      diagnostics_.push_back({file_, "", kUtf16Cause, "", -1, kUtf16Hint});
      return true;
    }
    const std::size_t at = text_.find('\0');
    if (at != std::string_view::npos) report_syntax(at, "a NUL byte");
    return at != std::string_view::npos;
  }

  [[nodiscard]] std::vector<std::string> open_at_end() const {
    std::vector<std::string> keys;
    if (!ends_early_) return keys;
    for (const Level& level : levels_) keys.push_back(level.key);
    return keys;
  }
  ordered_json& document() { return document_; }

 private:
  // The parser stops behind the letters that it has read.
  [[nodiscard]] bool begins_with(std::size_t at, std::string_view word) const {
    while (at > 0 && at < text_.size() && is_letter(text_[at]) && is_letter(text_[at - 1])) --at;
    return text_.substr(std::min(at, text_.size())).starts_with(word);
  }

  // Where the token begins whose last letter is at `at`. The parser's text of it is that alone of strings and numbers.
  [[nodiscard]] std::size_t begin_of(std::size_t at, const std::string& token) const {
    if (std::string_view("[]{},").find(text_[at]) != std::string_view::npos) return at;
    if (is_letter(text_[at])) {
      while (at > 0 && is_letter(text_[at - 1])) --at;
      return at;
    }
    return at + 1 - std::min(at + 1, token.size());
  }

  // Behind the last letter of what stands before that token; empty where nothing does.
  [[nodiscard]] std::optional<std::size_t> end_before(std::size_t at, const std::string& token) const {
    if (at >= text_.size()) return std::nullopt;
    const std::size_t begin = begin_of(at, token);
    const std::size_t last = begin == 0 ? std::string_view::npos : text_.find_last_not_of(kBlanks, begin - 1);
    return last == std::string_view::npos ? std::nullopt : std::optional(last + 1);
  }

  void report_syntax(std::size_t at, const std::string& cause, const std::string& hint = "") {
    const std::size_t newline = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(start), '\n');
    const bool empty = text_.find_first_not_of(kBlanks) == std::string_view::npos;
    Diagnostic& diagnostic = diagnostics_.emplace_back();
    diagnostic.file = file_;
    diagnostic.place = fmt::format("line {}, column {}", line, at - start + 1);
    diagnostic.cause = empty ? "the file is empty" : "not valid JSON: " + cause;
    diagnostic.hint = hint.empty() ? hint_at(text_, at) : hint;
    quote(text_.substr(start, text_.find('\n', start) - start), at - start, diagnostic);
  }

  void report(const std::string& cause, const std::string& hint) {
    diagnostics_.push_back({file_, next_pointer(), cause, "", -1, hint});
  }

  // Of the value that comes next.
  [[nodiscard]] std::string next_pointer() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    return level.container->is_array() ? pointer_to(level.pointer, level.container->size())
                                       : pointer_to(level.pointer, level.key);
  }

  ordered_json* place(ordered_json value) {
    if (levels_.empty()) return &(document_ = std::move(value));
    Level& level = levels_.back();
    if (level.container->is_object()) return &(*level.member = std::move(value));
    level.container->push_back(std::move(value));
    return &level.container->back();
  }

  bool add(ordered_json value) {
    place(std::move(value));
    return true;
  }

  // A whole number beyond 64 bits with a sign.
  bool add_large(double value, const std::string& text) {
    if (fmt::format("{:.0f}", value) == text) return add(value);
    report(fmt::format("{} does not fit 64 bits", text),
           fmt::format("whole numbers go up to {}", std::numeric_limits<std::int64_t>::max()));
    return false;
  }

  bool open(ordered_json value) {
    if (levels_.size() == kDeepest) {
      diagnostics_.push_back(
          {file_, "", fmt::format("objects and arrays are nested more than {} deep", kDeepest), "", -1, ""});
      return false;
    }
    std::string pointer = next_pointer();
    ordered_json* const placed = place(std::move(value));
    levels_.emplace_back(placed, std::move(pointer));
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  std::string file_;
  Diagnostics& diagnostics_;
  ordered_json document_;
  std::vector<Level> levels_;
  bool ends_early_ = false;
};

}  // namespace

ParsedJson parse_json(std::string_view text, const std::string& file) {
  ParsedJson parsed;
  Builder builder(text, file, parsed.diagnostics);
  if (builder.refuse_bytes()) return parsed;
  if (ordered_json::sax_parse(text, &builder)) {
    parsed.json.emplace(std::move(builder.document()), file);
  } else {
    parsed.open = builder.open_at_end();
  }
  return parsed;
}

Json require_json(std::string_view text, const std::string& file) {
  ParsedJson parsed = parse_json(text, file);
  if (!parsed.diagnostics.empty()) throw Error(parsed.diagnostics.front());
  return *std::move(parsed.json);
}

}  // namespace tailwave
