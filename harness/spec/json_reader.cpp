// The only file that sees nlohmann/json and Valijson: together they are slow to compile.
#include "spec/json_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace tailwave {
namespace {

constexpr std::size_t kDeepest = 64;

// Builds a Json from the parser's events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::string& text, std::string file, Diagnostics& diagnostics)
      : text_(text), file_(std::move(file)), diagnostics_(diagnostics) {}

  std::optional<Json> take() { return std::move(root_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add({value}); }
  bool number_integer(number_integer_t value) override { return add({std::int64_t{value}}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      report(next_pointer(), "the integer " + std::to_string(value) + " does not fit 64 bits");
      return add({});
    }
    return add({static_cast<std::int64_t>(value)});
  }
  bool number_float(number_float_t value, const string_t&) override { return add({value}); }
  bool string(string_t& value) override { return add({std::move(value)}); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open({Json::Object{}}); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open({Json::Array{}}); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (level.container->find(name) != nullptr) {
      report(pointer_to(level.pointer, name), "duplicate key '" + name + "'");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    root_.reset();
    const std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
    const std::size_t start = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
    const std::string line = text_.substr(start, text_.find('\n', start) - start);
    const auto number =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(start), '\n') + 1;
    Diagnostic& diagnostic = diagnostics_.emplace_back();
    diagnostic.file = file_;
    diagnostic.place = "line " + std::to_string(number) + ", column " + std::to_string(at - start + 1);
    const bool empty = text_.find_first_not_of(" \t\r\n") == std::string::npos;
    diagnostic.cause = empty ? "the file is empty" : "not valid JSON: " + explanation(error.what());
    diagnostic.excerpt = line.substr(std::min(line.find_first_not_of(" \t\r"), line.size()));
    diagnostic.column =
        static_cast<int>(at - start) - static_cast<int>(line.size() - diagnostic.excerpt.size());
    std::replace(diagnostic.excerpt.begin(), diagnostic.excerpt.end(), '\t', ' ');
    diagnostic.hint = hint(at);
    return false;
  }

 private:
  struct Level {
    Json* container;
    std::string pointer;
    std::string key;  // of the next member
  };

  void report(const std::string& pointer, const std::string& cause) {
    diagnostics_.push_back({file_, pointer, cause, "", -1, ""});
  }

  [[nodiscard]] std::string next_pointer() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    if (const auto* array = std::get_if<Json::Array>(&level.container->data)) {
      return pointer_to(level.pointer, array->size());
    }
    return pointer_to(level.pointer, level.key);
  }

  Json* place(Json value) {
    if (levels_.empty()) return &root_.emplace(std::move(value));
    Json& container = *levels_.back().container;
    if (auto* array = std::get_if<Json::Array>(&container.data))
      return &array->emplace_back(std::move(value));
    auto& members = std::get<Json::Object>(container.data);
    const auto same = std::find_if(members.begin(), members.end(),
                                   [&](const auto& member) { return member.key == levels_.back().key; });
    if (same != members.end()) return &(same->value = std::move(value));
    return &members.emplace_back(JsonMember{levels_.back().key, std::move(value)}).value;
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json value) {
    std::string pointer = next_pointer();
    if (levels_.size() == kDeepest) {
      report("", "nested more than " + std::to_string(kDeepest) + " levels deep");
      root_.reset();
      return false;
    }
    Json* container = place(std::move(value));
    levels_.push_back({container, std::move(pointer), ""});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing object key -
  // unexpected ']'; expected string literal" -> "while parsing object key: unexpected ']', expected ..."
  static std::string explanation(std::string text) {
    for (const char* before : {"] ", ": ", "syntax error "}) {
      const std::size_t found = text.find(before);
      if (found != std::string::npos) text.erase(0, found + std::string_view(before).size());
    }
    const std::size_t last_read = text.find("; last read: ");
    const std::size_t expected = std::min(text.find("; expected "), text.size());
    if (last_read < expected) text.erase(last_read, expected - last_read);
    return text;
  }

  [[nodiscard]] std::string hint(std::size_t at) const {
    if (at >= text_.size()) return "";
    const std::size_t before = at == 0 ? std::string::npos : text_.find_last_not_of(" \t\r\n", at - 1);
    const bool after_comma = before != std::string::npos && text_[before] == ',';
    if ((text_[at] == '}' || text_[at] == ']') && after_comma) return "remove the comma before it";
    const bool slash = text_[at] == '/' || (at > 0 && text_[at - 1] == '/');
    if (slash || text_[at] == '#') return "JSON has no comments";
    if (text_[at] == '\'') return "JSON has double quotes only";
    return "";
  }

  const std::string& text_;
  std::string file_;
  Diagnostics& diagnostics_;
  std::optional<Json> root_;
  std::vector<Level> levels_;
};

}  // namespace

std::optional<Json> parse_json(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  Builder builder(text, file, diagnostics);
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

std::string schema_violation(const std::string& text, std::string_view schema) {
  using valijson::adapters::NlohmannJsonAdapter;
  const nlohmann::json schema_json = nlohmann::json::parse(schema);
  valijson::Schema parsed;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(NlohmannJsonAdapter(schema_json), parsed);
  const nlohmann::json document = nlohmann::json::parse(text);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(parsed, NlohmannJsonAdapter(document), &results)) return "";
  valijson::ValidationResults::Error error;
  return results.popError(error) ? error.description : "the file does not satisfy its JSON Schema";
}

}  // namespace tailwave
