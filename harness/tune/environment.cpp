#include "tune/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "compile/project_sources.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/process.h"
#include "core/sandbox.h"
#include "core/version.h"
#include "json/values.h"

namespace tailwave {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\t");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return trimmed(line.substr(line.find(':') + 2));
  }
  return "unknown CPU";
}

// The experiment's published rows in SI units.
std::vector<PublishedValue> published_values(const Experiment& experiment) {
  std::vector<PublishedValue> values;
  if (!experiment.published) return values;
  const Published& published = *experiment.published;
  for (const PublishedRow& row : published.rows) {
    values.push_back({.study = published.study,
                      .device = published.device,
                      .quantity = published.quantity,
                      .unit = published.unit,
                      .variant = row.variant,
                      .parameters = row.parameters,
                      .value = row.value * published.unit_factor,
                      .invalid = row.invalid,
                      .note = row.note});
  }
  return values;
}

// {"tile": {"TILE": 8}, ...}
std::string defaults_of(const System& system) {
  nlohmann::json defaults = nlohmann::json::object();
  for (const VariantSpec& variant : system.variants)
    defaults[variant.name] = json_object(Values(variant.parameters.begin(), variant.parameters.end()));
  return defaults.dump();
}

// Of each variant, what its manifest names as main.
std::map<std::string, std::vector<std::string>> main_kernels(const System& system) {
  std::map<std::string, std::vector<std::string>> kernels;
  for (const VariantSpec& variant : system.variants) kernels[variant.name] = variant.main;
  return kernels;
}

// Of each variant that is not made for all problems, what its manifest requires.
std::map<std::string, std::string> domains(const System& system) {
  std::map<std::string, std::string> domains;
  for (const VariantSpec& variant : system.variants)
    if (variant.domain) domains[variant.name] = variant.domain->text();
  return domains;
}

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

std::string machine_name() {
  struct utsname system {};
  return uname(&system) == 0 ? system.nodename : "";
}

std::string host_description() {
  struct utsname system {};
  uname(&system);
  return fmt::format("{}, {} cores, {} {}", cpu_model(), std::thread::hardware_concurrency(), system.sysname,
                     system.release);
}

// git is a convenience here: without it a run has no commit, but runs.
std::string project_commit(const std::filesystem::path& project_root) try {
  const auto git = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"git", "-C", project_root.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_process(command, std::chrono::seconds(10));
  };
  const ProcessResult commit = git({"rev-parse", "--short=12", "HEAD"});
  if (commit.exit_status != 0) return "";
  const ProcessResult changes = git({"status", "--porcelain", "--untracked-files=no"});
  return trimmed(commit.output) + (trimmed(changes.output).empty() ? "" : "-dirty");
} catch (const Error&) {
  return "";
}

// Sources that cannot be read say so when they are built.
std::string system_hash(const Experiment& experiment) {
  const System& system = experiment.system;
  FieldHasher hasher;
  hasher.add(hash_of_file(system.file));
  const auto is_used = [&](const VariantSpec& variant) {
    return variant.name == system.reference.variant ||
           std::ranges::any_of(experiment.cases,
                               [&](const Case& one) { return one.variant == variant.name; });
  };
  for (const VariantSpec& variant : system.variants) {
    if (!is_used(variant)) continue;
    hasher.add(variant.name).add(hash_of_file(variant.source));
    try {
      for (const std::filesystem::path& header : project_headers(variant.source, system.directory))
        hasher.add(hash_of_file(header));
    } catch (const Error&) {
      continue;
    }
  }
  for (const VariantSpec& maker : system.makers) hasher.add(hash_of_file(maker.source));
  if (system.reference.python)
    for (const auto& [file, hash] : system.reference.python->files) hasher.add(file).add(hash);
  return hasher.digest();
}

RunRecord describe_environment(const std::filesystem::path& project_root) {
  RunRecord record;
  record.started_at = utc_now();
  record.host = host_description();
  record.machine = machine_name();
  record.commit = project_commit(project_root);
  record.tailwave_version = program_version();
  record.sandbox = sandbox_of_this_system();
  return record;
}

RunRecord describe_experiment(RunRecord environment, const Experiment& experiment, const Tools& tools) {
  environment.experiment = experiment.name;
  environment.system = experiment.system.name;
  environment.question = experiment.question;
  environment.metric = experiment.metric.name;
  if (experiment.metric.value) environment.metric_expression = experiment.metric.value->text();
  environment.metric_unit = experiment.metric.unit;
  environment.maximise = experiment.metric.maximise;
  environment.spec_file = experiment.file.string();
  environment.spec_text = experiment.text;
  environment.defaults = defaults_of(experiment.system);
  environment.spec_hash = content_hash(experiment.text);
  environment.system_hash = system_hash(experiment);
  if (tools.occupancy_device) environment.occupancy_device = tools.occupancy_device->name;
  return environment;
}

void store_what_reports_need(const Experiment& experiment, ResultStore& store) {
  store.set_published(experiment.name, published_values(experiment), experiment.system.name);
  store.set_main_kernels(experiment.system.name, main_kernels(experiment.system));
  store.set_domains(experiment.system.name, domains(experiment.system));
}

}  // namespace tailwave
