#include "json/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/suggestion.h"

namespace tailwave {
namespace {

class SchemaCheck {
 public:
  SchemaCheck(const Json& schema, Diagnostics& diagnostics) : root_(schema), diagnostics_(diagnostics) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the document
  void check(const Json& schema_or_reference, const Json& place) {
    const Json schema = resolve(schema_or_reference);
    if (const Json alternatives = schema.find("anyOf")) {
      const Json fitting = fitting_alternative(alternatives, place, schema.text_or_empty("x-hint"));
      if (!fitting) return;
      check(fitting, place);
    }
    if (!check_type(schema, place)) return;
    check_enum(schema, place);
    check_limits(schema, place);
    if (place.is_object()) check_object(schema, place);
    if (place.is_array()) check_array(schema, place);
  }

 private:
  void report(const Json& place, const std::string& cause, const std::string& hint = "") {
    diagnostics_.push_back(place.diagnostic(cause, hint));
  }

  [[nodiscard]] Json resolve(const Json& schema) const {
    const std::string* const reference = schema.find("$ref").as_text();
    if (reference == nullptr) return schema;
    constexpr std::string_view kPrefix = "#/definitions/";
    return root_.at("definitions").at(std::string_view(*reference).substr(kPrefix.size()));
  }

  static std::vector<std::string> types(const Json& schema) {
    const Json type = schema.find("type");
    if (type.is_text()) return {type.text()};
    std::vector<std::string> all;
    for (const Json& each : type.items()) all.push_back(each.text());
    return all;
  }

  static bool has_type(const Json& place, const std::vector<std::string>& types) {
    return types.empty() || std::any_of(types.begin(), types.end(), [&](const std::string& allowed) {
             return allowed == place.type() || (allowed == "number" && place.is_number());
           });
  }

  void report_type(const std::vector<std::string>& expected, const Json& place,
                   const std::string& hint = "") {
    std::string text;
    for (std::size_t i = 0; i < expected.size(); ++i)
      text += (i == 0 ? "" : i + 1 == expected.size() ? " or " : ", ") + with_article(expected[i]);
    const std::optional<Value> value = place.as_value();
    const bool list_wanted = expected.size() == 1 && expected.front() == "array" && value.has_value();
    const std::string quote = place.is_text() ? "\"" : "";
    report(place, fmt::format("expected {}, found {}", text, with_article(place.type())),
           list_wanted ? "write [" + quote + to_string(*value) + quote + "]" : hint);
  }

  bool check_type(const Json& schema, const Json& place) {
    const std::vector<std::string> expected = types(schema);
    if (has_type(place, expected)) return true;
    report_type(expected, place);
    return false;
  }

  // Absent, and reported, where none fits.
  Json fitting_alternative(const Json& alternatives, const Json& place, const std::string& hint) {
    std::vector<std::string> expected;
    for (const Json& alternative : alternatives.items()) {
      const std::vector<std::string> allowed = types(resolve(alternative));
      if (has_type(place, allowed)) return alternative;
      expected.insert(expected.end(), allowed.begin(), allowed.end());
    }
    report_type(expected, place, hint);
    return {};
  }

  void check_enum(const Json& schema, const Json& place) {
    const std::vector<Json> allowed = schema.find("enum").items();
    const auto is_it = [found = place.dump()](const Json& each) { return each.dump() == found; };
    if (allowed.empty() || std::any_of(allowed.begin(), allowed.end(), is_it)) return;
    const auto word_of = [](const Json& each) { return each.is_text() ? each.text() : each.dump(); };
    std::vector<std::string> words;
    for (const Json& each : allowed) words.push_back(word_of(each));
    const std::string near = place.is_text() ? nearest(place.text(), words) : "";
    report(place, fmt::format("expected one of {}, found '{}'", quoted_list(words), word_of(place)),
           near.empty() ? "" : "did you mean '" + near + "'?");
  }

  void check_limits(const Json& schema, const Json& place) {
    const std::optional<double> number = place.as_real();
    if (!number) return;
    const auto limit = [&](const char* keyword, const char* words, auto violates) {
      const Json bound = schema.find(keyword);
      if (!bound || !violates(*number, bound.real())) return;
      report(place, fmt::format("expected {} {}, found {}", words, to_string(bound.value()),
                                to_string(*place.as_value())));
    };
    limit("minimum", "at least", [](double value, double bound) { return value < bound; });
    limit("maximum", "at most", [](double value, double bound) { return value > bound; });
    limit("exclusiveMinimum", "more than", [](double value, double bound) { return value <= bound; });
  }

  // Of the items of an array, or the members of an object.
  void check_count(const Json& place, std::size_t count, const Json& least, const Json& most) {
    const std::string items = place.is_array() ? "items" : "members";
    if (least && count < static_cast<std::size_t>(least.whole())) {
      report(place, count == 0
                        ? fmt::format("the {} is empty", place.type())
                        : fmt::format("expected at least {} {}, found {}", least.whole(), items, count));
    }
    if (most && count > static_cast<std::size_t>(most.whole()))
      report(place, fmt::format("expected at most {} {}, found {}", most.whole(), items, count));
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void check_object(const Json& schema, const Json& place) {
    const Json properties = schema.find("properties");
    for (const Json& required : schema.find("required").items()) {
      if (place.has(required.text())) continue;
      const std::string* const description = properties.find(required.text()).find("description").as_text();
      report(place, "missing key '" + required.text() + "'", description == nullptr ? "" : *description);
    }
    const auto members = place.members();
    check_count(place, members.size(), schema.find("minProperties"), {});
    const Json others = schema.find("additionalProperties");
    for (const auto& [key, value] : members) {
      if (const Json property = properties.find(key)) {
        check(property, value);
      } else if (others.is_object()) {
        check(others, value);
      } else if (others.as_flag() == false) {
        std::vector<std::string> keys;
        for (const auto& known : properties.members()) keys.push_back(known.first);
        report(value, "unknown key '" + key + "'", suggestion(key, keys));
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void check_array(const Json& schema, const Json& place) {
    const std::vector<Json> items = place.items();
    check_count(place, items.size(), schema.find("minItems"), schema.find("maxItems"));
    const Json item_schema = schema.find("items");
    if (!item_schema) return;
    for (const Json& item : items) check(item_schema, item);
  }

  const Json& root_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_schema(const Json& schema, const Json& document, Diagnostics& diagnostics) {
  SchemaCheck(schema, diagnostics).check(schema, document);
}

}  // namespace tailwave
