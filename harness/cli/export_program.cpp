#include "cli/export_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "report/units.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "standalone/standalone.h"
#include "tune/plan.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

// Of the project, those of its manifests included.
std::vector<fs::path> specs_of_project() {
  const fs::path root = find_project_root(fs::current_path());
  std::vector<fs::path> files;
  if (fs::is_directory(root / "experiments")) files = find_specs(root / "experiments");
  for (fs::path& manifest : find_manifests(root)) files.push_back(std::move(manifest));
  return files;
}

Experiment find_experiment(const ProgramScope& scope) {
  if (!scope.spec.empty()) return load_experiment(scope.spec);
  std::vector<Experiment> found;
  for (const fs::path& file : specs_of_project()) {
    Diagnostics ignored;  // check names what is wrong with others
    std::optional<Experiment> one = load_experiment(file, ignored);
    if (one && one->name == scope.experiment && (scope.system.empty() || one->system.name == scope.system))
      found.push_back(*std::move(one));
  }
  if (found.size() == 1) return std::move(found.front());
  throw Error(Diagnostic{.cause = fmt::format("{} of this project {} experiment '{}'",
                                              found.empty() ? "no spec" : "several specs",
                                              found.empty() ? "is" : "are", scope.experiment),
                         .hint = found.empty() ? "name its file: --spec FILE"
                                               : "name its system or its file: --system, --spec FILE"});
}

void write_files(const StandaloneProgram& program, const fs::path& folder) {
  for (const auto& [path, text] : program.files) {
    const fs::path file = folder / path;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) throw Error(fmt::format("{}: cannot be written", file.string()));
  }
}

void export_one(const ProgramScope& scope, const StandaloneRequest& request, const Console& console) {
  if (scope.folder.empty())
    throw Error(
        Diagnostic{.place = "--out", .cause = "is missing: a program is a folder", .hint = "--out FOLDER"});
  const StandaloneProgram program = standalone_program(request);
  write_files(program, scope.folder);
  console.note(fmt::format("{}\n{}: {} files; there\n  {} && ./program\n", request.configuration.name(),
                           scope.folder.string(), program.files.size(), program.command));
  for (const std::string& what : program.not_checked) console.note(fmt::format("not checked: {}\n", what));
}

}  // namespace

void export_configuration(const ProgramScope& scope, const Console& console) {
  const Experiment experiment = find_experiment(scope);
  export_one(scope, {&experiment.system, planned_configuration(experiment, scope.configuration)}, console);
}

void export_best(const Wisdom& wisdom, ProgramScope scope, const Console& console) {
  scope.system = wisdom.system;
  const Experiment experiment = find_experiment(scope);
  if (wisdom.entries.size() > 1) {
    std::vector<std::string> names;
    for (const WisdomEntry& entry : wisdom.entries) names.push_back(entry.configuration.name());
    throw Error(
        Diagnostic{.cause = fmt::format("{} problems have a best configuration each", names.size()),
                   .hint = fmt::format("name one with --config:\n    {}", fmt::join(names, "\n    "))});
  }
  const WisdomEntry& best = wisdom.entries.front();
  if (experiment.system.find_variant(best.configuration.variant) == nullptr)
    throw Error(
        Diagnostic{.file = experiment.system.file.string(),
                   .cause = fmt::format("has no variant '{}', which is the best", best.configuration.variant),
                   .hint = "--spec names another file, --config another configuration"});
  const std::string measured =
      fmt::format("{} {} on {}{}", format_number(best.value), wisdom.metric == "time" ? "s" : wisdom.metric,
                  best.device, best.unverified.empty() ? "" : ", unverified: " + best.unverified);
  export_one(scope, {&experiment.system, best.configuration, best.compute_capability, measured}, console);
}

}  // namespace tailwave
