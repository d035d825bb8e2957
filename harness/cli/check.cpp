#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "cli/commands.h"
#include "core/error.h"
#include "spec/experiment.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

// A file is a manifest when it is called system.json, else an experiment.
void check_file(const fs::path& file, Diagnostics& diagnostics) {
  if (file.filename() == "system.json") {
    const std::optional<System> system = load_system(file, diagnostics);
    if (system) fmt::print("{}: ok: system, {} variants\n", file.string(), system->variants.size());
    return;
  }
  const std::optional<Experiment> experiment = load_experiment(file, diagnostics);
  if (!experiment) return;
  try {
    const std::size_t count = enumerate(*experiment, false).configurations.size();
    fmt::print("{}: ok: experiment, {} configurations\n", file.string(), count);
  } catch (const ExpressionError& error) {
    diagnostics.push_back(
        {.file = file.string(), .place = "/constraints", .cause = error.what(), .hint = error.hint});
  } catch (const Error& error) {
    diagnostics.push_back({.file = file.string(), .cause = error.what()});
  }
}

// Folders hold experiments or systems; published/ holds data.
std::vector<fs::path> files_to_check(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (fs::is_directory(path) && fs::exists(fs::path(path) / "system.json")) {
      files.push_back(fs::path(path) / "system.json");
    } else {
      for (fs::path& file : expand_specs({path})) files.push_back(std::move(file));
    }
  }
  return files;
}

void check(const std::vector<std::string>& paths) {
  Diagnostics diagnostics;
  for (const fs::path& file : files_to_check(paths)) check_file(file, diagnostics);
  // Two experiments of one broken system report the same places.
  Diagnostics distinct;
  std::set<std::string> seen;
  for (Diagnostic& diagnostic : diagnostics) {
    if (seen.insert(to_string(diagnostic)).second) distinct.push_back(std::move(diagnostic));
  }
  if (!distinct.empty()) throw Error(distinct);
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "Validate experiments and system manifests; needs no GPU");
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("SPEC", *paths, "experiment files, system.json files, or folders of them")->required();
  command->footer("Example: tailwave check experiments kernel_templates/nbody");
  command->callback([paths] { check(*paths); });
}

}  // namespace tailwave
