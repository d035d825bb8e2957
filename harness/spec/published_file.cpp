#include "spec/published_file.h"

#include <fmt/format.h>

#include <map>
#include <system_error>

#include "spec/document.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "spec/reporter.h"
#include "spec/t1/reader.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFolder = "published";

// Whether the experiment's spec says that it reproduces figures of this file.
bool reads_figures_of(const Experiment& experiment, const fs::path& file) {
  Diagnostics ignored;
  Reporter reporter(experiment.file.string(), ignored);
  const std::optional<Document> spec = read_document(experiment.file, reporter);
  if (!spec) return false;
  const Json& root = spec->json;
  const std::string* const named = root.find(kFolder).as_text();
  std::error_code error;
  return named != nullptr &&
         fs::equivalent(fs::absolute(experiment.file).parent_path() / *named, file, error);
}

// An experiment that rows name, at the first of these.
void check_experiment_of_rows(const std::string& name, const std::string& pointer, const fs::path& file,
                              Reporter& reporter) {
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path().parent_path();
  const fs::path spec = folder / (name + ".json");
  std::error_code error;
  if (!fs::is_regular_file(spec, error)) {
    std::vector<std::string> known;
    for (const std::string& one :
         names_in(folder, [](const auto& entry) { return entry.path().extension() == ".json"; }))
      known.push_back(fs::path(one).stem().string());
    return reporter.report_unknown(pointer, "experiment", name, known);
  }
  const std::optional<Experiment> experiment = load_experiment(shown_path(spec), reporter.diagnostics());
  if (experiment && !reads_figures_of(*experiment, file))
    reporter.report(pointer, fmt::format("{} does not read these figures", shown_path(spec)),
                    fmt::format(R"(it would with "published": "{}/{}")", kFolder, file.filename().string()));
}

}  // namespace

bool has_published_figures(const Json& document, const fs::path& file) {
  if (document.has("cases") || is_t1(document)) return false;
  return fs::absolute(file).lexically_normal().parent_path().filename() == kFolder ||
         (document.has("study") && document.has("rows"));
}

bool is_published_file(const fs::path& file) {
  Diagnostics ignored;
  Reporter reporter(file.string(), ignored);
  const std::optional<Document> document = read_document(file, reporter);
  return document && file.filename() != "system.json" && has_published_figures(document->json, file);
}

std::optional<std::size_t> check_published_file(const fs::path& file, Diagnostics& diagnostics) {
  Reporter reporter(file.string(), diagnostics);
  const std::optional<Document> document = read_document(file, "published.schema.json", reporter);
  if (!document) return std::nullopt;
  const std::vector<Json> rows = document->json.find("rows").items();
  std::map<std::string, std::string> experiments;
  for (const Json& row : rows)
    if (const Json name = row.find("experiment"); name.as_text() != nullptr)
      experiments.emplace(*name.as_text(), name.pointer());
  for (const auto& [name, pointer] : experiments) check_experiment_of_rows(name, pointer, file, reporter);
  return reporter.clean() ? std::optional(rows.size()) : std::nullopt;
}

}  // namespace tailwave
