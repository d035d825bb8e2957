#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "docs/markdown.h"

namespace tailwave::docs {
namespace {

using Json = nlohmann::ordered_json;

// The tables of one JSON Schema: a section for each kind of object, each once.
class Reference {
 public:
  explicit Reference(const std::string& file)
      : schema_(Json::parse(read_text(std::string(TAILWAVE_SOURCE_DIR "/harness/spec/") + file))) {}

  std::string text() {
    text_ = "## " + schema_["title"].get<std::string>() + "\n\n" + schema_["description"].get<std::string>() +
            "\n\n";
    table("", schema_);
    return text_;
  }

 private:
  const Json& resolved(const Json& schema) const {
    if (!schema.contains("$ref")) return schema;
    const auto name = schema["$ref"].get<std::string>().substr(std::string("#/definitions/").size());
    return schema_["definitions"][name];
  }

  // A property's own word goes before that of the definition it refers to.
  Json word(const Json& schema, const char* key) const {
    if (schema.contains(key)) return schema[key];
    const Json& definition = resolved(schema);
    return definition.contains(key) ? definition[key] : Json();
  }

  std::string type_of(const Json& schema) const {
    if (schema.contains("$ref") && resolved(schema).contains("x-name")) return resolved(schema)["x-name"];
    const Json& plain = resolved(schema);
    if (plain.contains("enum")) {
      std::string words;
      for (const Json& one : plain["enum"])
        words += (words.empty() ? "`" : ", `") + one.get<std::string>() + "`";
      return words;
    }
    if (plain.contains("anyOf")) return joined(plain["anyOf"]);
    if (plain["type"].is_array()) return joined(plain["type"]);
    const auto type = plain["type"].get<std::string>();
    if (type == "array") return "list of " + type_of(plain["items"]);
    if (type == "object" && !plain.contains("properties"))
      return "names -> " + type_of(plain["additionalProperties"]);
    return type;
  }

  std::string joined(const Json& alternatives) const {
    std::string text;
    for (const Json& one : alternatives)
      text += (text.empty() ? "" : " or ") + (one.is_string() ? one.get<std::string>() : type_of(one));
    return text;
  }

  void table(const std::string& path, const Json& schema) {
    std::set<std::string> required;
    if (schema.contains("required")) required = schema["required"].get<std::set<std::string>>();
    text_ += "| key | type | default | meaning | example |\n|---|---|---|---|---|\n";
    for (const auto& [key, property] : schema["properties"].items()) {
      const Json description = word(property, "description");
      EXPECT_TRUE(description.is_string()) << path << " " << key << " has no description";
      Json fallback = word(property, "x-default");  // in words
      if (fallback.is_null()) fallback = word(property, "default");
      const Json examples = word(property, "examples");
      text_ += "| `" + key + "` | " + type_of(property) + " | " +
               (required.contains(key) ? "required"
                : fallback.is_null()   ? ""
                : fallback.is_string() ? fallback.get<std::string>()
                                       : "`" + fallback.dump() + "`") +
               " | " + (description.is_string() ? description.get<std::string>() : "") + " | " +
               (examples.is_null() ? "" : "`" + examples[0].dump() + "`") + " |\n";
    }
    text_ += "\n";
    for (const auto& [key, property] : schema["properties"].items())
      descend(path.empty() ? key : path + "." + key, property);
  }

  // To the objects that a property holds.
  void descend(const std::string& path, const Json& property) {
    const std::string name = property.value("$ref", "");
    if (!name.empty() && !open_.insert(name).second) return;  // it holds itself
    describe(path, property);
    open_.erase(name);
  }

  void describe(const std::string& path, const Json& property) {
    const Json& schema = resolved(property);
    if (schema.contains("anyOf")) {
      for (const Json& one : schema["anyOf"]) descend(path, one);
    } else if (schema.contains("items")) {
      descend(path + "[]", schema["items"]);
    } else if (schema.contains("properties")) {
      if (property.contains("$ref") && !seen_.insert(property["$ref"].get<std::string>()).second) return;
      const std::string heading = schema.value("x-heading", path);
      text_ += "### " + heading + "\n\n";
      if (schema.contains("description") && property.contains("$ref"))
        text_ += schema["description"].get<std::string>() + "\n\n";
      table(heading, schema);
    } else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
      descend(path + ".NAME", schema["additionalProperties"]);
    }
  }

  Json schema_;
  std::set<std::string> seen_;
  std::set<std::string> open_;  // definitions that are being described
  std::string text_;
};

TEST(ReferencePage, SaysWhatTheSchemasSay) {
  std::string page =
      "# Every key of the JSON files\n\n"
      "<!-- Made by `make docs` from harness/spec/*.schema.json. -->\n\n"
      "The rules between them, and expressions, are in [specs](specs.md). Editors that know JSON Schema show "
      "the same while "
      "you type, where a file names its schema, as those of `tailwave new` do: `\"$schema\": "
      "\"../../schemas/experiment.schema.json\"`.\n\n";
  for (const char* file : {"system.schema.json", "experiment.schema.json", "published.schema.json"})
    page += Reference(file).text();
  page.pop_back();
  expect_page("docs/reference.md", page);
}

}  // namespace
}  // namespace tailwave::docs
