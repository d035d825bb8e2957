#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "analysis/report.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "spec/experiment.h"
#include "store/database.h"

namespace tailwave {
namespace {

struct RunArguments {
  std::vector<std::string> specs;
  std::string device = "auto";
  std::string database = "results/tailwave.db";
  std::string planned_for;
  std::string filter;
  std::uint64_t seed = 1;
  bool fresh = false;
};

// The published device of the first experiment that has one: that is the GPU whose curves a CPU run explains.
std::string planning_device(const RunArguments& options, const std::vector<Experiment>& experiments) {
  if (!options.planned_for.empty()) return options.planned_for;
  for (const Experiment& experiment : experiments) {
    if (!experiment.published) continue;
    for (const DeviceSpec& known : known_devices()) {
      if (known.name == experiment.published->device) return known.name;
    }
  }
  return "h100";
}

std::vector<Experiment> load_all(const std::vector<std::string>& specs) {
  std::vector<Experiment> experiments;
  Diagnostics diagnostics;
  for (const std::filesystem::path& file : expand_specs({specs.begin(), specs.end()})) {
    std::optional<Experiment> experiment = load_experiment(file, diagnostics);
    if (experiment) experiments.push_back(std::move(*experiment));
  }
  if (!diagnostics.empty()) throw Error(diagnostics);
  return experiments;
}

// Of the coordinator's wall-clock time; compilers work at the same time in other processes.
std::string time_spent(const RunSummary& summary) {
  const PhaseTimes& phases = summary.phases;
  return fmt::format(
      "\n{:.2f} s: {:.2f} waiting for builds, {:.2f} loading, {:.2f} verifying, {:.2f} measuring, {:.2f} "
      "storing",
      summary.total_s, phases.wait, phases.load, phases.verify, phases.measure, phases.store);
}

void print_summary(Database& database, const Experiment& experiment, const DeviceDescription& device,
                   const RunSummary& summary) {
  std::string line = fmt::format("\n{} on {}:", experiment.name, device.name);
  for (const auto& [outcome, count] : summary.outcomes)
    line += fmt::format(" {} {}", count, to_string(outcome));
  if (summary.reused > 0) line += fmt::format(" {} from before", summary.reused);
  if (!summary.outcomes.empty()) line += time_spent(summary);
  fmt::print("{}\n{}", line,
             render(summary_table(database, experiment.system.name + "/" + experiment.name, device.name),
                    TableFormat::table));
}

void run(const RunArguments& options) {
  const InterruptGuard interrupts;
  const std::vector<Experiment> experiments = load_all(options.specs);
  Session session(options.device, planning_device(options, experiments));
  Database database(options.database, Database::Mode::read_write);
  ResultStore store(database);
  session.cancel_when(InterruptGuard::requested);
  PipelineOptions run_options;
  run_options.fresh = options.fresh;
  run_options.filter = options.filter;
  run_options.seed = options.seed;
  run_options.build_processes = std::max(1U, std::thread::hardware_concurrency());
  run_options.stop_requested = InterruptGuard::requested;
  for (const Experiment& experiment : experiments) {
    RunSummary summary;
    {
      TerminalProgress progress(experiment, isatty(STDERR_FILENO) != 0);
      const auto root = find_project_root(experiment.file);
      summary = run_experiment(experiment, session.tools(), store, session.environment(root), run_options,
                               progress);
    }
    if (summary.reused > 0 || !summary.outcomes.empty()) {
      print_summary(database, experiment, session.device(), summary);
    }
    if (summary.interrupted) throw Error("interrupted: what was measured is stored; run again to continue");
  }
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("run", "Verify and measure experiments; continues what was interrupted");
  auto options = std::make_shared<RunArguments>();
  command->add_option("SPEC", options->specs, "experiment files or folders of them")->required();
  command->add_option("--device", options->device, "auto, cuda:0, cpu")->capture_default_str();
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option(
      "--target", options->planned_for,
      "on the CPU device: the GPU that occupancy and waves are computed for (default: the GPU of "
      "the published study, else h100)");
  command->add_option("--filter", options->filter,
                      "only configurations whose name matches this regular expression");
  command->add_option("--seed", options->seed, "of the random order of configurations")
      ->capture_default_str();
  command->add_flag("--fresh", options->fresh, "measure again what the database already has");
  command->footer("Example: tailwave run experiments/nbody/variants.json --device cuda:0");
  command->callback([options] { run(*options); });
}

}  // namespace tailwave
