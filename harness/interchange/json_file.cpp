#include "interchange/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "interchange/compressed_file.h"
#include "interchange/recorded_json.h"

namespace tailwave {
namespace {

using nlohmann::json;

// Of objects and arrays in one another; results need 7. Whoever walks a document, or ends its life, calls itself so often.
constexpr std::size_t kDeepest = 100;

// Builds a document from what the parser finds, and knows where that is. nlohmann's own builder keeps the last of two
// members of one name.
class Builder : public json::json_sax_t {
 public:
  explicit Builder(std::string file) : file_(std::move(file)) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    const bool is_whole = text.find_first_of(".eE") == std::string::npos;
    if (is_whole && fmt::format("{:.0f}", value) != text)
      throw Error(Diagnostic{file_, pointer(), fmt::format("{} needs more than 64 bits", text), "", -1,
                             "give fewer digits, or text"});
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t /*elements*/) override { return open(json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    frames_.back().key = value;
    if (frames_.back().value->contains(value))
      throw Error(Diagnostic{file_, pointer(), "is there twice", "", -1, "keep one of the two"});
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    failed_at_ = position;
    return false;
  }

  [[nodiscard]] std::string pointer() const {
    std::string text;
    for (const Frame& frame : frames_) {
      if (frame.value->is_array())
        text += fmt::format("/{}", frame.value->size() - (frame.entered ? 1 : 0));
      else if (!frame.key.empty())
        text += "/" + pointer_part(frame.key);
    }
    return text;
  }
  // Objects and arrays that are open.
  [[nodiscard]] std::size_t depth() const { return frames_.size(); }
  [[nodiscard]] std::string outermost_key() const { return frames_.empty() ? "" : frames_[0].key; }
  [[nodiscard]] std::size_t failed_at() const { return failed_at_; }
  json& document() { return document_; }

 private:
  struct Frame {
    json* value;
    std::string key;       // of an object: the last one
    bool entered = false;  // of an array: its last element is open
  };

  json* place(json value) {
    if (frames_.empty()) return &(document_ = std::move(value));
    Frame& frame = frames_.back();
    if (frame.value->is_object()) return &((*frame.value)[frame.key] = std::move(value));
    frame.value->push_back(std::move(value));
    return &frame.value->back();
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    if (frames_.size() == kDeepest)
      throw Error(Diagnostic{file_, "",
                             fmt::format("objects and arrays are nested more than {} deep", kDeepest), "", -1,
                             "results are not: fetch or export it again"});
    json* const placed = place(std::move(value));
    if (!frames_.empty()) frames_.back().entered = true;
    frames_.push_back({placed, "", false});
    return true;
  }
  bool close() {
    frames_.pop_back();
    if (!frames_.empty()) frames_.back().entered = false;
    return true;
  }

  std::string file_;
  json document_;
  std::vector<Frame> frames_;
  std::size_t failed_at_ = 0;
};

// The text with the braces that a cachefile lacks while its run lasts; "" if that is not what is wrong with it.
std::string mended(std::string text, const Builder& builder) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  const bool at_end = builder.failed_at() >= text.size();
  if (!at_end || builder.depth() > 2 || builder.outermost_key() != "cache") return "";
  if (text.back() == ',') text.pop_back();
  if (text.back() != '}' && text.back() != '{') return "";
  return text + std::string(builder.depth(), '}');
}

[[noreturn]] void refuse_text(const std::string& file, const std::string& text, const Builder& builder) {
  const std::size_t place = std::min(std::max<std::size_t>(builder.failed_at(), 1) - 1, text.size());
  const std::string_view rest = std::string_view(text).substr(place);
  for (const char* word : {"NaN", "Infinity"}) {
    if (rest.starts_with(word))
      throw Error(Diagnostic{file, builder.pointer(), fmt::format("{} is not a number that JSON has", word),
                             "", -1, "leave it out, or give a number"});
  }
  throw Error(Diagnostic{
      file,
      fmt::format("line {}",
                  1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n')),
      "not JSON: the file is damaged or cut off", "", -1, "fetch or export it again"});
}

}  // namespace

JsonFile read_json_file(const std::filesystem::path& file) {
  const std::string text = read_decompressed(file);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(Diagnostic{.file = file.string(), .cause = "is empty", .hint = "fetch or export it again"});
  Builder builder(file.string());
  if (json::sax_parse(text, &builder)) return {std::move(builder.document()), false};
  const std::string whole = mended(text, builder);
  JsonFile completed{json::parse(whole, nullptr, false), true};
  if (completed.document.is_discarded()) refuse_text(file.string(), text, builder);
  return completed;
}

}  // namespace tailwave
