#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/stored_device.h"
#include "core/error.h"
#include "store/database.h"
#include "store/exports.h"
#include "store/recorded.h"
#include "store/result_store.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

struct TransferArguments {
  std::vector<std::string> files;
  std::string database = "results/tailwave.db";
  std::string format = "recorded";
  std::string experiment, system, device, out;
};

struct Format {
  std::string_view name;
  std::string_view what;
  std::string (*write)(Database&, const ExportScope&);
  ImportSummary (*read)(Database&, const std::filesystem::path&);  // none: export only
};

std::string write_recorded(Database& database, const ExportScope& scope) {
  return export_recorded(database, scope.experiment, scope.device, scope.system);
}

constexpr std::array<Format, 3> kFormats{
    {{"recorded", "tailwave's own JSON", write_recorded, import_recorded},
     {"csv", "a row for each sample", export_csv, nullptr},
     {"google-benchmark", "the JSON of Google Benchmark, for its compare.py", export_google_benchmark,
      nullptr}}};

enum class Direction { import, export_ };

std::vector<const Format*> formats(Direction direction) {
  std::vector<const Format*> fitting;
  for (const Format& format : kFormats)
    if (direction == Direction::export_ || format.read != nullptr) fitting.push_back(&format);
  return fitting;
}

// "recorded (tailwave's own JSON), csv (a row for each sample)"
std::string described(Direction direction) {
  std::string text;
  for (const Format* format : formats(direction))
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", format->name, format->what);
  return text;
}

const Format& find_format(const std::string& name, Direction direction) {
  for (const Format* format : formats(direction))
    if (format->name == name) return *format;
  const bool known = std::any_of(kFormats.begin(), kFormats.end(),
                                 [&](const Format& format) { return format.name == name; });
  throw Error(Diagnostic{.cause = known ? fmt::format("'{}' can only be exported", name)
                                        : fmt::format("unknown format '{}'", name),
                         .hint = "use " + described(direction)});
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

void import(const TransferArguments& options) {
  const Format& format = find_format(options.format, Direction::import);
  Database database(options.database, Database::Mode::read_write);
  for (const std::string& file : options.files) {
    const ImportSummary summary = format.read(database, file);
    fmt::print("{}: {} on {}: {} trials added, {} already there\n", file, summary.experiment, summary.device,
               summary.trials_added, summary.trials_present);
  }
  store_published(database);
}

// The device named, or the only one that has trials of the experiment.
std::string device_to_export(Database& database, const TransferArguments& options) {
  if (!options.device.empty()) return stored_device(database, options.device);
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

void export_results(const TransferArguments& options) {
  const Format& format = find_format(options.format, Direction::export_);
  Database database(options.database, Database::Mode::read_only);
  const std::string text =
      format.write(database, {options.experiment, device_to_export(database, options), options.system});
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
  auto options = std::make_shared<TransferArguments>();
  command->add_option("FILE", options->files, "files that export wrote")->required();
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, described(Direction::import))->capture_default_str();
  command->footer("Example: tailwave import results/h200/nbody/*.json");
  command->callback([options] { import(*options); });
}

void add_export(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write an experiment's results on one device as text");
  auto options = std::make_shared<TransferArguments>();
  command->add_option("--experiment", options->experiment, "the experiment")->required();
  command->add_option("--system", options->system, "its system, where two have an experiment of that name");
  command->add_option(
      "--device", options->device,
      "the device, where several have run it: its name or a part of it, or as --target calls it (h200)");
  command->add_option("--out", options->out, "the file to write (default: standard output)");
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, described(Direction::export_))->capture_default_str();
  command->footer("Example: tailwave export --experiment tuning --out results/h200/nbody/tuning.json");
  command->callback([options] { export_results(*options); });
}

}  // namespace tailwave
