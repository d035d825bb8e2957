#include "spec/t1/side_file.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "json/parser.h"
#include "json/schema.h"
#include "spec/embedded.h"
#include "spec/experiment_reader.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kEnding = ".tailwave";

ordered_json schema_named(const std::string& name) {
  return ordered_json::parse(embedded::spec::file(name));
}

// Of a manifest of which nothing is required, since the T1 file has the rest, with some keys of an experiment.
Json side_schema() {
  ordered_json schema = schema_named("system.schema.json");
  const ordered_json of_experiments = schema_named("experiment.schema.json");
  schema.erase("required");
  for (const char* part : {"buffer", "variant", "reference"}) schema["definitions"][part].erase("required");
  schema["definitions"]["quantity"]["anyOf"][1].erase("required");
  for (const char* key : {"schema_version", "name", "title"}) schema["properties"].erase(key);
  for (const char* key : {"metric", "metrics", "objectives", "energy", "measure", "regimes"})
    schema["properties"][key] = of_experiments["properties"][key];
  for (const auto& [name, definition] : of_experiments["definitions"].items())
    if (!schema["definitions"].contains(name)) schema["definitions"][name] = definition;
  return {std::move(schema), "file.tailwave.json"};
}

// What the T1 file does not have cannot be left out here.
void require_keys_of_new(const T1File& file, const System& system) {
  for (const auto& [name, place] : file.side.find("buffers").members()) {
    if (system.buffers.contains(name)) continue;
    std::vector<std::string> known;
    for (const auto& entry : system.buffers) known.push_back(entry.first);
    if (!place.find("type") && !place.find("count"))
      file.side_errors.report_unknown(place.pointer(), "argument", name, known);
    else
      for (const char* key : {"type", "count"}) require_key(place, key, file.side_errors);
  }
  for (const auto& [name, place] : file.side.find("variants").members()) {
    if (system.find_variant(name) != nullptr) continue;
    if (!place.find("target") && !place.find("source"))
      file.side_errors.report_unknown(place.pointer(), "variant", name, variant_names(system));
    else
      for (const char* key : {"target", "source", "launches"}) require_key(place, key, file.side_errors);
  }
}

}  // namespace

fs::path side_file_of(const fs::path& t1_file) {
  return t1_file.parent_path() /
         (t1_file.stem().string() + std::string(kEnding) + t1_file.extension().string());
}

bool is_side_file(const fs::path& file) {
  return file.stem().extension() == kEnding;
}

std::optional<Document> read_side_file(const fs::path& t1_file, Reporter& reporter) {
  std::error_code error;
  if (!fs::exists(side_file_of(t1_file), error)) return std::nullopt;
  std::optional<Document> document = read_document(side_file_of(t1_file), reporter);
  if (document) check_schema(side_schema(), document->json, reporter.diagnostics());
  return document;
}

void apply_side_file(const T1File& file, Experiment& experiment) {
  if (!file.side) return;
  require_keys_of_new(file, experiment.system);
  if (!file.side_errors.clean()) return;
  read_system_parts(file.side, experiment.system, file.side_errors);
  if (file.side_errors.clean()) read_experiment_keys(file.side, experiment, file.side_errors);
}

}  // namespace tailwave
