#include "spec/schema_check.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>

#include "spec/embedded.h"
#include "spec/json_reader.h"

namespace tailwave {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

class SchemaCheck {
 public:
  SchemaCheck(const Json& schema, Reporter& reporter) : root_(schema), reporter_(reporter) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the document
  void check(const Json& schema_or_reference, const JsonPlace& place) {
    const Json& schema = resolve(schema_or_reference);
    if (const Json* alternatives = schema.find("anyOf")) {
      const JsonPlace hint{schema.find("x-hint"), ""};
      const Json* fitting = fitting_alternative(*alternatives, place, hint ? *hint.text() : "");
      if (fitting != nullptr) check(*fitting, place);
      return;
    }
    if (!check_type(schema, place)) return;
    check_values(schema, place);
    check_object(schema, place);
    check_array(schema, place);
  }

 private:
  [[nodiscard]] const Json& resolve(const Json& schema) const {
    const Json* reference = schema.find("$ref");
    if (reference == nullptr) return schema;
    constexpr std::string_view kPrefix = "#/definitions/";
    const auto& path = std::get<std::string>(reference->data);
    return *root_.find("definitions")->find(std::string_view(path).substr(kPrefix.size()));
  }

  static std::vector<std::string> types(const Json& schema) {
    const Json* type = schema.find("type");
    if (type == nullptr) return {};
    if (const auto* single = std::get_if<std::string>(&type->data)) return {*single};
    std::vector<std::string> all;
    for (const Json& each : std::get<Json::Array>(type->data))
      all.push_back(std::get<std::string>(each.data));
    return all;
  }

  static bool has_type(const Json& json, const std::vector<std::string>& types) {
    const std::string_view type = type_of(json);
    return types.empty() || std::any_of(types.begin(), types.end(), [&](const std::string& allowed) {
             return allowed == type || (allowed == "number" && type == "integer");
           });
  }

  void report_type(const std::vector<std::string>& expected, const JsonPlace& place,
                   const std::string& hint = "") {
    std::string text;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      text += (i == 0 ? "" : i + 1 == expected.size() ? " or " : ", ") + with_article(expected[i]);
    }
    const std::optional<Value> scalar = place.scalar();
    const bool list_wanted = expected.size() == 1 && expected.front() == "array" && scalar.has_value();
    const std::string quote = place.text() == nullptr ? "" : "\"";
    reporter_.report(place.pointer, "expected " + text + ", found " + with_article(type_of(*place.json)),
                     list_wanted ? "write [" + quote + to_string(*scalar) + quote + "]" : hint);
  }

  bool check_type(const Json& schema, const JsonPlace& place) {
    const std::vector<std::string> expected = types(schema);
    if (has_type(*place.json, expected)) return true;
    report_type(expected, place);
    return false;
  }

  const Json* fitting_alternative(const Json& alternatives, const JsonPlace& place, const std::string& hint) {
    std::vector<std::string> expected;
    for (const Json& alternative : std::get<Json::Array>(alternatives.data)) {
      const std::vector<std::string> allowed = types(resolve(alternative));
      if (has_type(*place.json, allowed)) return &alternative;
      expected.insert(expected.end(), allowed.begin(), allowed.end());
    }
    report_type(expected, place, hint);
    return nullptr;
  }

  void check_values(const Json& schema, const JsonPlace& place) {
    if (const Json* allowed = schema.find("enum"); allowed != nullptr && place.text() != nullptr) {
      std::vector<std::string> words;
      for (const Json& each : std::get<Json::Array>(allowed->data)) {
        words.push_back(std::get<std::string>(each.data));
      }
      if (std::find(words.begin(), words.end(), *place.text()) == words.end()) {
        const std::string near = nearest(*place.text(), words);
        std::string list;
        for (const std::string& word : words) list += (list.empty() ? "'" : ", '") + word + "'";
        reporter_.report(place.pointer, "expected one of " + list + ", found '" + *place.text() + "'",
                         near.empty() ? "" : "did you mean '" + near + "'?");
      }
    }
    const std::optional<double> number = place.number();
    if (!number) return;
    const auto limit = [&](const char* keyword, const char* words, auto violates) {
      const JsonPlace bound{schema.find(keyword), ""};
      if (!bound || !violates(*number, *bound.number())) return;
      reporter_.report(place.pointer, std::string("expected ") + words + to_string(*bound.scalar()) +
                                          ", found " + to_string(*place.scalar()));
    };
    limit("minimum", "at least ", [](double value, double bound) { return value < bound; });
    limit("maximum", "at most ", [](double value, double bound) { return value > bound; });
    limit("exclusiveMinimum", "more than ", [](double value, double bound) { return value <= bound; });
  }

  void report_missing(const std::string& key, const Json& schema, const JsonPlace& place) {
    const JsonPlace description = JsonPlace{schema.find("properties"), ""}.at(key).at("description");
    reporter_.report(place.pointer, "missing key '" + key + "'",
                     description.text() == nullptr ? "" : *description.text());
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void check_object(const Json& schema, const JsonPlace& place) {
    if (type_of(*place.json) != "object") return;
    const auto members = place.members();
    const auto properties = JsonPlace{schema.find("properties"), ""}.members();
    for (const JsonPlace& required : JsonPlace{schema.find("required"), ""}.items()) {
      if (!place.at(*required.text())) report_missing(*required.text(), schema, place);
    }
    if (schema.find("minProperties") != nullptr && members.empty()) {
      reporter_.report(place.pointer, "the object is empty");
    }
    const Json* others = schema.find("additionalProperties");
    for (const auto& [key, value] : members) {
      const auto known = std::find_if(properties.begin(), properties.end(),
                                      [&key = key](const auto& property) { return property.first == key; });
      if (known != properties.end()) {
        check(*known->second.json, value);
      } else if (others != nullptr && type_of(*others) == "object") {
        check(*others, value);
      } else if (others != nullptr) {
        std::vector<std::string> keys;
        for (const auto& property : properties) keys.push_back(property.first);
        reporter_.report_unknown(value.pointer, "key", key, keys);
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void check_array(const Json& schema, const JsonPlace& place) {
    if (type_of(*place.json) != "array") return;
    const std::vector<JsonPlace> items = place.items();
    const std::optional<std::int64_t> least = JsonPlace{schema.find("minItems"), ""}.integer();
    const std::optional<std::int64_t> most = JsonPlace{schema.find("maxItems"), ""}.integer();
    if (least && items.empty()) reporter_.report(place.pointer, "the array is empty");
    if (most && static_cast<std::int64_t>(items.size()) > *most) {
      reporter_.report(place.pointer, "expected at most " + std::to_string(*most) + " items, found " +
                                          std::to_string(items.size()));
    }
    const Json* item_schema = schema.find("items");
    for (const JsonPlace& item : items) {
      if (item_schema != nullptr) check(*item_schema, item);
    }
  }

  const Json& root_;
  Reporter& reporter_;
};

std::optional<std::string> read_text(const std::filesystem::path& file, Reporter& reporter) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    reporter.report("", "expected a file, this is a folder");
    return std::nullopt;
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    reporter.report("", "cannot read the file: " + std::generic_category().message(errno));
    return std::nullopt;
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

bool version_supported(const JsonPlace& root, Reporter& reporter) {
  const JsonPlace version = root.at("schema_version");
  if (!version.integer() || version.integer() == kSchemaVersion) return true;
  reporter.report(version.pointer, "schema_version " + std::to_string(*version.integer()) +
                                       " is not supported, this tailwave reads version " +
                                       std::to_string(kSchemaVersion));
  return false;
}

}  // namespace

void report_schema_violations(const Json& schema, const JsonPlace& document, Reporter& reporter) {
  SchemaCheck(schema, reporter).check(schema, document);
}

std::optional<Document> read_document(const std::filesystem::path& file, Reporter& reporter) {
  std::optional<std::string> text = read_text(file, reporter);
  if (!text) return std::nullopt;
  std::optional<Json> json = parse_json(*text, reporter.file(), reporter.diagnostics());
  if (!json) return std::nullopt;
  return Document{std::move(*text), std::move(*json)};
}

bool check_document(const Document& document, const std::string& schema, Reporter& reporter) {
  const JsonPlace root{&document.json, ""};
  if (!version_supported(root, reporter)) return false;
  const std::string_view schema_text = embedded::spec::file(schema);
  const std::string violation = schema_violation(document.text, schema_text);
  if (!violation.empty()) {
    const std::size_t before = reporter.diagnostics().size();
    const std::optional<Json> parsed = parse_json(std::string(schema_text), schema, reporter.diagnostics());
    report_schema_violations(*parsed, root, reporter);
    // Valijson judges; should it know more than we can explain, its own words have to do.
    if (reporter.diagnostics().size() == before) reporter.report("", violation);
  }
  return type_of(document.json) == "object";
}

std::optional<Document> read_document(const std::filesystem::path& file, const std::string& schema,
                                      Reporter& reporter) {
  std::optional<Document> document = read_document(file, reporter);
  if (document && !check_document(*document, schema, reporter)) document.reset();
  return document;
}

}  // namespace tailwave
