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
#include "spec/t1/space.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

// A name that Configuration and the database can have.
std::string name_from(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += good ? c : '_';
  }
  const bool begins_well = !name.empty() && name.front() != '-' && (name.front() < '0' || name.front() > '9');
  return begins_well ? name : "t1_" + name;
}

void read_names(const Json& root, Experiment& experiment) {
  const std::string stem = experiment.file.stem().string();
  const std::string* benchmark = root.find("General").find("BenchmarkName").as_text();
  experiment.name = name_from(stem);
  experiment.system.name = name_from(benchmark == nullptr || benchmark->empty() ? stem : *benchmark);
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
  const Json references = kernel.find("ReferenceArguments");
  if (references)
    warnings.report(references.pointer(),
                    "ReferenceArguments are not read: the default configuration is the reference");
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
  variant.name = name_from(std::string(function_of(launch.kernel)));
  for (const Parameter& parameter : file.parameters)
    variant.parameters.emplace_back(parameter.name, file.defaults[parameter.name]);
  const bool beside = variant.source.lexically_relative(file.folder).begin()->string() != "..";
  system.directory = beside ? file.folder : file.folder.parent_path();
  std::optional<T1Source> source;
  if (!variant.source.empty()) source.emplace(variant.source, system.directory);
  if (source) check_kernel(file, *source, launch);
  read_t1_arguments(file, source ? &*source : nullptr, system, variant, launch);
  variant.launches = {launch};
  if (source) lint_unused(file, *source, variant);
  system.reference.variant = variant.name;
  system.variants = {variant};
}

bool has_its_parts(const Json& root, Reporter& errors, Reporter& warnings) {
  report_old_t1_keys(root, errors, warnings);
  if (!errors.clean()) return false;
  for (const char* part : {"ConfigurationSpace", "KernelSpecification"}) require_key(root, part, errors);
  if (errors.clean()) check_language(root, errors);
  return errors.clean();
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

void read_parts(const Json& root, Experiment& experiment, Reporter& reporter) {
  Reporter warnings(reporter.file(), experiment.warnings);
  if (!has_its_parts(root, reporter, warnings)) return;
  T1File file{.root = root,
              .folder = fs::canonical(fs::absolute(experiment.file).parent_path()),
              .errors = reporter,
              .warnings = warnings};
  read_names(root, experiment);
  lint_all_keys(root, warnings);
  read_t1_problem(file, experiment.system);
  experiment.constraints_pointer = "/ConfigurationSpace/Conditions";
  read_t1_space(file, experiment);
  if (!reporter.clean()) return;  // what follows needs the parameters
  read_system_of(file, experiment);
  const VariantSpec& variant = experiment.system.variants.front();
  experiment.question = "Which configuration of " + variant.name + " is the fastest?";
  experiment.metric.name = "time";
  experiment.cases = {{variant.name, file.parameters}};
  if (reporter.clean()) check_enumeration(experiment, reporter);
}

}  // namespace

bool is_t1(const Json& root) {
  return has_t1_keys(root);
}

void read_t1(const Document& document, Experiment& experiment, Reporter& reporter) {
  const std::size_t before = reporter.diagnostics().size();
  read_parts(document.json, experiment, reporter);
  add_lines(document.text, reporter.file(), std::span(reporter.diagnostics()).subspan(before));
  add_lines(document.text, reporter.file(), experiment.warnings);
}

}  // namespace tailwave
