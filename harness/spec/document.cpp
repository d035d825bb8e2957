#include "spec/document.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/read_at_most.h"
#include "json/parser.h"
#include "json/schema.h"
#include "spec/embedded.h"

namespace tailwave {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

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
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  std::string text = read_at_most(stream, kMostBytes);
  if (text.size() <= kMostBytes) return text;
  reporter.report("", "the file has more than 256 MiB", "is it what you meant?");
  return std::nullopt;
}

bool version_supported(const Json& root, Reporter& reporter) {
  const Json place = root.find("schema_version");
  const std::optional<std::int64_t> version = place.as_whole();
  if (!version || version == kSchemaVersion) return true;
  reporter.report(place.pointer(), "schema_version " + std::to_string(*version) +
                                       " is not supported, this tailwave reads version " +
                                       std::to_string(kSchemaVersion));
  return false;
}

}  // namespace

std::string_view schema_text(const std::string& schema) {
  return embedded::spec::file(schema);
}

std::optional<Document> read_document(const std::filesystem::path& file, Reporter& reporter) {
  std::optional<std::string> text = read_text(file, reporter);
  if (!text) return std::nullopt;
  ParsedJson parsed = parse_json(*text, reporter.file());
  std::ranges::move(parsed.diagnostics, std::back_inserter(reporter.diagnostics()));
  if (!parsed.json) return std::nullopt;
  return Document{std::move(*text), *std::move(parsed.json)};
}

bool check_document(const Document& document, const std::string& schema, Reporter& reporter) {
  if (!version_supported(document.json, reporter)) return false;
  check_schema(require_json(schema_text(schema), schema), document.json, reporter.diagnostics());
  return document.json.is_object();
}

std::optional<Document> read_document(const std::filesystem::path& file, const std::string& schema,
                                      Reporter& reporter) {
  std::optional<Document> document = read_document(file, reporter);
  if (document && !check_document(*document, schema, reporter)) document.reset();
  return document;
}

}  // namespace tailwave
