#include "spec/t1/reader.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/suggestion.h"
#include "json/lines.h"
#include "spec/enumerate.h"
#include "spec/t1/arguments.h"
#include "spec/t1/kernel.h"
#include "spec/t1/old_keys.h"
#include "spec/t1/reference_arguments.h"
#include "spec/t1/side_file.h"
#include "spec/t1/space.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

void read_names(const Json& root, Experiment& experiment) {
  const std::string stem = experiment.file.stem().string();
  const std::string* benchmark = root.find("General").find("BenchmarkName").as_text();
  experiment.name = t1_name_from(stem);
  experiment.system.name = t1_name_from(benchmark == nullptr || benchmark->empty() ? stem : *benchmark);
  experiment.system.title = experiment.system.name;
}

// Keys that look like misspelt ones; others may be somebody's extensions.
void lint_keys(const Json& place, std::initializer_list<const char*> known, Reporter& warnings) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, member] : place.members()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string near = nearest(key, names);
    if (!near.empty() && !place.find(near))
      warnings.report(member.pointer(), "unknown key '" + key + "'", "did you mean '" + near + "'?");
  }
}

void lint_all_keys(const Json& root, Reporter& warnings) {
  const Json space = root.find("ConfigurationSpace"), kernel = root.find("KernelSpecification");
  lint_keys(root, {"General", "ConfigurationSpace", "KernelSpecification", "Search", "Budget"}, warnings);
  lint_keys(space, {"TuningParameters", "Conditions"}, warnings);
  for (const Json& place : space.find("TuningParameters").items())
    lint_keys(place, {"Name", "Type", "Values", "Default"}, warnings);
  for (const Json& place : space.find("Conditions").items())
    lint_keys(place, {"Expression", "Parameters"}, warnings);
  lint_keys(kernel,
            {"Language", "CompilerOptions", "BenchmarkName", "KernelName", "KernelFile", "KernelTypeNames",
             "GlobalSizeType", "LocalSize", "GlobalSize", "GridDivX", "GridDivY", "GridDivZ", "ProblemSize",
             "SharedMemory", "Stream", "Arguments", "Device", "SimulationInput", "ReferenceArguments"},
            warnings);
  for (const Json& place : kernel.find("Arguments").items())
    lint_keys(place,
              {"Name", "Type", "TypeSize", "MemoryType", "MemType", "AccessType", "FillType", "FillValue",
               "DataSource", "Size", "Output"},
              warnings);
  for (const Json& place : kernel.find("ReferenceArguments").items())
    lint_keys(place,
              {"Name", "TargetName", "FillType", "FillValue", "DataSource", "RandomSeed", "ValidationMethod",
               "ValidationThreshold"},
              warnings);
}

void lint_unused(const T1File& file, const T1Source& source, const VariantSpec& variant) {
  std::set<std::string> used;
  const auto add = [&](const Expression& expression) {
    used.insert(expression.names().begin(), expression.names().end());
  };
  for (const LaunchSpec& launch : variant.launches) {
    for (const auto* sizes : {&launch.grid, &launch.block})
      for (const Expression& size : *sizes) add(size);
    add(launch.dynamic_shared_bytes);
    for (const Argument& argument : launch.arguments)
      for_each_leaf(argument, [&](const Argument& leaf) {
        if (const auto* scalar = std::get_if<ScalarArgument>(&leaf)) add(scalar->value);
      });
  }
  const std::string& kernel = variant.launches.front().kernel;
  const Json list = file.root.find("ConfigurationSpace").find("TuningParameters");
  for (std::size_t i = 0; i < file.parameters.size(); ++i) {
    const std::string& name = file.parameters[i].name;
    if (used.contains(name) || source.has(name) || kernel.find(name) != std::string::npos) continue;
    file.warnings.report(pointer_to(list.pointer(), i),
                         "nothing uses the parameter '" + name + "': neither the source nor a size");
  }
}

void check_kernel(const T1File& file, const T1Source& source, const LaunchSpec& launch) {
  const std::string name(function_of(launch.kernel));
  if (name.empty() || source.has(name)) return;
  const std::vector<std::string> kernels = source.kernels();
  file.errors.report("/KernelSpecification/KernelName", "no kernel '" + name + "' in the KernelFile",
                     kernels.empty() ? "it has no __global__ function" : suggestion(name, kernels));
}

void read_system_of(T1File& file, Experiment& experiment) {
  System& system = experiment.system;
  system.file = experiment.file;
  VariantSpec variant;
  LaunchSpec launch;
  read_t1_kernel(file, variant, launch);
  variant.name = t1_name_from(std::string(function_of(launch.kernel)));
  for (const Parameter& parameter : file.parameters)
    variant.parameters.emplace_back(parameter.name, file.defaults[parameter.name]);
  const bool beside = variant.source.lexically_relative(file.folder).begin()->string() != "..";
  system.directory = beside ? file.folder : file.folder.parent_path();
  std::optional<T1Source> source;
  if (!variant.source.empty()) source.emplace(variant.source, system.directory);
  const Json own = file.beside_kernel();
  if (source && !own.find("launches")) check_kernel(file, *source, launch);
  read_t1_arguments(file, source ? &*source : nullptr, system, variant, launch);
  variant.launches = {launch};
  if (source && !own) lint_unused(file, *source, variant);
  system.reference.variant = variant.name;
  system.variants = {variant};
  read_t1_references(file, system);
}

bool has_its_parts(const T1File& file) {
  report_old_t1_keys(file.root, file.errors, file.warnings);
  if (!file.errors.clean()) return false;
  for (const char* part : {"ConfigurationSpace", "KernelSpecification"})
    require_key(file.root, part, file.errors);
  if (file.errors.clean()) check_language(file);
  return file.errors.clean();
}

// A person finds a line sooner than the place that a pointer names. In the file's order.
void add_lines(std::string_view text, const std::string& file, std::span<Diagnostic> diagnostics) {
  std::vector<std::pair<int, Diagnostic>> sorted;
  for (Diagnostic& each : diagnostics) {
    const bool has_place = each.file == file && each.place.starts_with('/');
    const int line = has_place ? line_of(text, each.place) : 0;
    if (has_place) each.place = "line " + std::to_string(line) + ", " + each.place;
    sorted.emplace_back(line, std::move(each));
  }
  std::ranges::stable_sort(sorted, {}, &std::pair<int, Diagnostic>::first);
  std::ranges::transform(sorted, diagnostics.begin(), [](auto& entry) { return std::move(entry.second); });
}

void read_parts(T1File& file, Experiment& experiment) {
  if (!has_its_parts(file)) return;
  read_names(file.root, experiment);
  lint_all_keys(file.root, file.warnings);
  read_t1_problem(file, experiment.system);
  experiment.constraints_pointer = "/ConfigurationSpace/Conditions";
  read_t1_space(file, experiment);
  if (!file.errors.clean()) return;  // what follows needs the parameters
  read_system_of(file, experiment);
  const std::string variant = experiment.system.variants.front().name;
  experiment.question = "Which configuration of " + variant + " is the fastest?";
  experiment.metric.name = "time";
  experiment.cases = {{variant, file.parameters}};
  if (file.errors.clean()) apply_side_file(file, experiment);
  if (file.errors.clean() && file.side_errors.clean()) check_enumeration(experiment, file.errors);
}

// Of both, as one JSON object.
std::string text_of(const Document& document, const std::optional<Document>& side, const std::string& name) {
  if (!side) return document.text;
  const std::size_t end = document.text.find_last_of('}');
  return document.text.substr(0, end) + ", \"" + name + "\": " + side->text + "}";
}

}  // namespace

bool is_t1(const Json& root) {
  return has_t1_keys(root);
}

void read_t1(const Document& document, Experiment& experiment, Reporter& reporter) {
  const std::size_t before = reporter.diagnostics().size();
  const fs::path side_path = side_file_of(experiment.file);
  Reporter warnings(reporter.file(), experiment.warnings),
      side_errors(side_path.string(), reporter.diagnostics());
  const std::optional<Document> side = read_side_file(experiment.file, side_errors);
  T1File file{.root = document.json,
              .folder = fs::canonical(fs::absolute(experiment.file).parent_path()),
              .errors = reporter,
              .warnings = warnings,
              .side = side ? side->json : Json(),
              .side_errors = side_errors};
  if (side_errors.clean()) read_parts(file, experiment);
  const auto found = [&] { return std::span(reporter.diagnostics()).subspan(before); };
  if (side) {
    add_lines(side->text, side_errors.file(), found());
    add_lines(side->text, side_errors.file(), experiment.warnings);
  }
  add_lines(document.text, reporter.file(), found());
  add_lines(document.text, reporter.file(), experiment.warnings);
  experiment.text = text_of(document, side, side_path.filename().string());
}

}  // namespace tailwave
