#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/commands.h"
#include "core/error.h"
#include "store/database.h"
#include "store/recorded.h"
#include "store/result_store.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string database = "results/tailwave.db";
  std::string format = "recorded";
  std::string experiment, system, device, out;
};

void require_recorded(const std::string& format) {
  if (format == "recorded") return;
  throw Error(
      Diagnostic{.cause = "unknown format '" + format + "'", .hint = "use recorded (tailwave's own JSON)"});
}

// What the project's specs say was published, so that a report can show it beside what was imported. A broken
// spec is left out here: check names it.
void store_published(Database& database) {
  const std::filesystem::path experiments = std::filesystem::current_path() / "experiments";
  if (!std::filesystem::is_directory(experiments)) return;
  ResultStore store(database);
  for (const std::filesystem::path& file : expand_specs({experiments})) {
    Diagnostics ignored;
    const std::optional<Experiment> experiment = load_experiment(file, ignored);
    if (experiment)
      store.set_published(experiment->name, published_values(*experiment), experiment->system.name);
  }
}

void import(const Options& options) {
  require_recorded(options.format);
  Database database(options.database, Database::Mode::read_write);
  for (const std::string& file : options.files) {
    const ImportSummary summary = import_recorded(database, file);
    fmt::print("{}: {} on {}: {} trials added, {} already there\n", file, summary.experiment, summary.device,
               summary.trials_added, summary.trials_present);
  }
  store_published(database);
}

// The device named, or the only one that has trials of the experiment.
std::string device_to_export(Database& database, const Options& options) {
  if (!options.device.empty()) return options.device;
  const Table devices = database.query(
      "SELECT DISTINCT device.name FROM run JOIN device ON device.id = run.device_id "
      "WHERE run.experiment = :experiment ORDER BY 1",
      {{"experiment", options.experiment}});
  if (devices.rows.size() == 1) return std::get<std::string>(devices.rows[0][0]);
  std::string names;
  for (const std::vector<Cell>& row : devices.rows) names += "\n  " + std::get<std::string>(row[0]);
  if (names.empty()) throw Error(options.database + ": no run of experiment '" + options.experiment + "'");
  throw Error("several devices have run '" + options.experiment + "'; name one with --device:" + names,
              Error::kBadUsage);
}

void export_results(const Options& options) {
  require_recorded(options.format);
  Database database(options.database, Database::Mode::read_only);
  const std::string text =
      export_recorded(database, options.experiment, device_to_export(database, options), options.system);
  if (options.out.empty()) {
    fmt::print("{}", text);
    return;
  }
  const std::filesystem::path file = options.out;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) throw Error(options.out + ": cannot be written");
  fmt::print("{}\n", options.out);
}

}  // namespace

void add_import(CLI::App& app) {
  CLI::App* command = app.add_subcommand("import", "Add recorded results to the database; never twice");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->files, "files that export wrote")->required();
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, "recorded")->capture_default_str();
  command->footer("Example: tailwave import results/h200/*.json");
  command->callback([options] { import(*options); });
}

void add_export(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write an experiment's results on one device as text");
  auto options = std::make_shared<Options>();
  command->add_option("--experiment", options->experiment, "the experiment")->required();
  command->add_option("--system", options->system, "its system, where two have an experiment of that name");
  command->add_option("--device", options->device, "the device's name, where several have run it");
  command->add_option("--out", options->out, "the file to write (default: standard output)");
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, "recorded")->capture_default_str();
  command->footer("Example: tailwave export --experiment tuning --out results/h200/tuning.json");
  command->callback([options] { export_results(*options); });
}

}  // namespace tailwave
