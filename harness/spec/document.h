#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "spec/reporter.h"

namespace tailwave {

struct Document {
  std::string text;
  Json json;
};

// Reads a JSON file as it is. Empty when it cannot be read or is no JSON.
std::optional<Document> read_document(const std::filesystem::path& file, Reporter& reporter);

// The text of one of the schemas of this folder ("system.schema.json"). Throws std::out_of_range for what is none.
std::string_view schema_text(const std::string& schema);

// Reads a JSON file and checks it against one of the schemas of this folder ("system.schema.json"). Empty when
// nothing further can be said of the file: it cannot be read, is no JSON object, or has another
// schema_version. Otherwise the value may still differ from the schema where that was reported.
std::optional<Document> read_document(const std::filesystem::path& file, const std::string& schema,
                                      Reporter& reporter);
// The check alone; false where the above is empty.
bool check_document(const Document& document, const std::string& schema, Reporter& reporter);

}  // namespace tailwave
