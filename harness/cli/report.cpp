#include "analysis/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/commands.h"
#include "spec/experiment.h"
#include "store/database.h"

namespace tailwave {
namespace {

struct ReportArguments {
  std::vector<std::string> specs;
  std::string database = "results/tailwave.db";
  std::string out = "results/report";
};

bool has_trials(Database& database, const Experiment& experiment) {
  const Table runs = database.query(
      "SELECT 1 FROM current_trial WHERE system = :system AND experiment = :experiment LIMIT 1",
      {{"system", experiment.system.name}, {"experiment", experiment.name}});
  return !runs.rows.empty();
}

void report(const ReportArguments& options) {
  Database database(options.database, Database::Mode::read_only);
  ReportOptions what;
  what.out_dir = options.out;
  what.project = ".";
  std::vector<std::string> unmeasured;
  for (const std::filesystem::path& file : expand_specs({options.specs.begin(), options.specs.end()})) {
    const Experiment experiment = load_experiment(file);
    const std::string name = experiment.system.name + "/" + experiment.name;
    (has_trials(database, experiment) ? what.experiments : unmeasured).push_back(name);
  }
  if (what.experiments.empty()) {
    what.experiments = unmeasured;  // an error, which render_report words
  } else if (!unmeasured.empty()) {
    fmt::print("no trials yet: {}\n", fmt::join(unmeasured, ", "));
  }
  fmt::print("report: {}\n", render_report(database, what).index.string());
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report", "Write the report tables of experiments from the database");
  auto options = std::make_shared<ReportArguments>();
  command->add_option("SPEC", options->specs, "only these experiments (default: all in the database)");
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--out", options->out, "the folder to write")->capture_default_str();
  command->footer("Example: tailwave report experiments/nbody --out results/report");
  command->callback([options] { report(*options); });
}

}  // namespace tailwave
