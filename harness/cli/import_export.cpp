#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/export_program.h"
#include "cli/figures.h"
#include "cli/imported_specs.h"
#include "cli/manifest_of_project.h"
#include "cli/output_file.h"
#include "cli/over_sizes_said.h"
#include "cli/result_database.h"
#include "cli/stored_device.h"
#include "core/device_kind.h"
#include "core/error.h"
#include "interchange/export.h"
#include "interchange/export_csv.h"
#include "interchange/export_google_benchmark.h"
#include "interchange/import.h"
#include "interchange/ncu_import.h"
#include "interchange/observed_export.h"
#include "interchange/tuner_export.h"
#include "interchange/wisdom.h"
#include "interchange/wisdom_header.h"
#include "occupancy/device_spec.h"
#include "store/contents.h"
#include "store/database.h"
#include "store/no_trials.h"
#include "store/sweeps.h"
#include "tune/curve_models.h"

namespace tailwave {
namespace {

struct TransferArguments {
  std::vector<std::string> files;
  std::string database = kDefaultDatabase;
  std::string format = "recorded";
  std::string experiment, system, device, out, spec;
  std::string configurations;  // that a file of Nsight Compute, or a program, is about
  OverSizesArguments over_sizes;
};

struct Format {
  std::string_view name;
  std::string_view what;
  std::string (*write)(Database&, const ExportScope&);             // none: import only
  ImportSummary (*read)(Database&, const std::filesystem::path&);  // none: export only
  bool of_all_devices = false;                                     // where none is named; may be over sizes
  bool is_folder = false;                                          // cli/export_program.h writes it
};

constexpr std::string_view kNcu = "ncu", kProgram = "program";

std::string write_recorded(Database& database, const ExportScope& scope) {
  return export_recorded(database, scope.experiment, scope.device, scope.system);
}

// Of a device that another tuner recorded no more than the name is known; occupancy/devices.json has some of them.
Wisdom wisdom_of(Database& database, const ExportScope& scope) {
  Wisdom wisdom = load_wisdom(database, scope, system_of_project);
  for (WisdomEntry& entry : wisdom.entries) {
    if (entry.sms != 0 || entry.device.starts_with("sm_")) continue;
    try {
      const DeviceSpec known = find_device(entry.device);
      entry.compute_capability = known.compute_capability;
      entry.sms = known.sms;
    } catch (const Error&) {
      continue;
    }
  }
  return wisdom;
}

std::string write_header(Database& database, const ExportScope& scope) {
  return wisdom_header(wisdom_of(database, scope));
}

std::string write_wisdom(Database& database, const ExportScope& scope) {
  return wisdom_json(wisdom_of(database, scope));
}

std::string write_figures(Database& database, const ExportScope& scope) {
  const std::string name = (scope.system.empty() ? "" : scope.system + "/") + scope.experiment;
  const nlohmann::ordered_json answers = answers_json(database, name, scope.device);
  require_figures(nlohmann::ordered_json::array({answers}));
  return figure_lines(answers);
}

// Its files do not say what they are about: what they are read for is told beside them.
ImportSummary read_ncu(Database& database, const std::filesystem::path& file) {
  return import_ncu(database, file, {});
}

constexpr std::array<Format, 11> kFormats{
    {{"recorded", "tailwave's own JSON", write_recorded, import_recorded},
     {"observed", "traces, curves, counters and timelines, as JSON that import takes too", export_observed,
      import_recorded},
     {"csv", "a row for each sample", export_csv, nullptr},
     {"google-benchmark", "the JSON of Google Benchmark, for its compare.py", export_google_benchmark,
      nullptr},
     {"t4", "the autotuning community's results, as JSON that import takes too", export_t4, import_recorded},
     {"kernel-tuner", "a cachefile of Kernel Tuner that import takes too", export_kernel_tuner,
      import_recorded},
     {"header", "the best configuration for each GPU and problem, as C++", write_header, nullptr, true},
     {"wisdom", "the same as JSON", write_wisdom, nullptr, true},
     {"fom", "figures of merit in lines that JUBE, ReFrame and Ramble read", write_figures, nullptr},
     {kProgram, "a configuration as a CUDA program that verifies and times itself, in a folder", nullptr,
      nullptr, false, true},
     {kNcu, "counters as 'ncu --csv' prints them", nullptr, read_ncu}}};

enum class Direction { import, export_ };

std::vector<const Format*> formats(Direction direction) {
  std::vector<const Format*> fitting;
  for (const Format& format : kFormats)
    if (direction == Direction::export_ ? format.write != nullptr || format.is_folder
                                        : format.read != nullptr)
      fitting.push_back(&format);
  return fitting;
}

// "recorded (tailwave's own JSON), csv (a row for each sample)"
std::string described(Direction direction) {
  std::string text;
  for (const Format* format : formats(direction))
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", format->name, format->what);
  return text;
}

// For help and completion.
std::string names_in_braces(Direction direction) {
  std::string names;
  for (const Format* format : formats(direction))
    names += (names.empty() ? "" : ",") + std::string(format->name);
  return "{" + names + "}";
}

const Format& find_format(const std::string& name, Direction direction) {
  for (const Format* format : formats(direction))
    if (format->name == name) return *format;
  std::vector<std::string> names;
  for (const Format* format : formats(direction)) names.emplace_back(format->name);
  const std::string near = nearest(name, names);
  const bool known = std::any_of(kFormats.begin(), kFormats.end(),
                                 [&](const Format& format) { return format.name == name; });
  throw Error(Diagnostic{
      .cause = known ? fmt::format("'{}' can only be {}", name,
                                   direction == Direction::export_ ? "imported" : "exported")
                     : fmt::format("unknown format '{}'", name),
      .hint = near.empty() ? "use " + described(direction) : fmt::format("did you mean '{}'?", near)});
}

// Before there is a database.
void refuse_missing(const std::vector<std::string>& files) {
  Diagnostics missing;
  for (const std::string& file : files)
    if (!std::filesystem::exists(file))
      missing.push_back({file, "", "there is no such file", "", -1, "nothing was imported"});
  if (!missing.empty()) throw Error(missing);
}

// Where there is no database yet, one is made for a file that can be imported, which is tried in memory: a made one
// could not be removed again while another program may have opened it.
std::optional<Database> open_for_import(const std::filesystem::path& database, const Format& format,
                                        const std::string& file, const Console& console) {
  std::error_code error;
  if (!std::filesystem::exists(database, error)) {
    Database rehearsal(kInMemory, Database::Mode::read_write);
    format.read(rehearsal, file);
  }
  return open_to_write(database, console);
}

// Of files that do not say what they are about.
void refuse_scope(const TransferArguments& options, const Format& format) {
  if (format.name == kNcu) return;
  const auto given = [&](const std::string& text, const char* option) {
    if (!text.empty())
      throw Error(Diagnostic{.place = option,
                             .cause = fmt::format("is for --format {} alone", kNcu),
                             .hint = "other files say themselves what they are about"});
  };
  given(options.experiment, "--experiment");
  given(options.device, "--device");
  given(options.configurations, "--config");
}

ImportSummary read_file(Database& database, const Format& format, const std::string& file,
                        const TransferArguments& options) {
  if (format.name != kNcu) return format.read(database, file);
  return import_ncu(database, file,
                    {.experiment = options.experiment,
                     .device = options.device.empty() ? "" : stored_device(database, options.device),
                     .configurations = options.configurations});
}

// What is wrong with one file keeps no other out.
void import(const TransferArguments& options, const Console& console) {
  const Format& format = find_format(options.format, Direction::import);
  refuse_scope(options, format);
  refuse_missing(options.files);
  std::optional<Database> database;
  std::string refused;
  std::set<std::string> imported;
  for (const std::string& file : options.files) {
    try {
      if (!database) database = open_for_import(options.database, format, file, console);
      const ImportSummary summary = read_file(*database, format, file, options);
      imported.insert(summary.experiment);
      if (console.quiet()) continue;
      console.say(fmt::format("{}: {} on {}: {} {} added, {} already there{}{}\n", file, summary.experiment,
                              summary.device, summary.trials_added, summary.what, summary.trials_present,
                              summary.remark.empty() ? "" : "; ", summary.remark));
    } catch (const Error& error) {
      if (error.exit_status() != Error::kBadUsage) throw;
      refused += (refused.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  if (database) {
    const std::set<std::string> with_specs = store_specs(*database);
    predict_new_curves(*database);
    keep_rankings_or_note(*database, console);
    console.note(without_figures(*database, imported, with_specs));
  }
  if (!refused.empty()) throw Error(refused, Error::kBadUsage);
}

// The device named, or the one that ran the experiment last, which is said; "" for all of them.
std::string device_to_export(Database& database, const TransferArguments& options, const Format& format,
                             const Console& console) {
  std::string wanted = options.device.empty() ? "" : stored_device(database, options.device);
  if (format.of_all_devices) return wanted;
  const std::optional<DeviceKind> kind = find_enum<DeviceKind>(wanted);
  if (!wanted.empty() && !kind) return wanted;
  std::vector<std::string> devices = devices_of(database, options.experiment, kind);
  if (kind && devices.empty()) return wanted;  // who looks for its trials says what there is
  if (devices.size() == 1) return devices.front();
  if (devices.empty()) {
    std::vector<std::string> known;
    for (const Sweep& sweep : list_sweeps(database)) known.push_back(sweep.experiment);
    throw Error(unknown_experiment(database, options.experiment, known));
  }
  std::string latest = latest_device(database, options.experiment, devices);
  std::erase(devices, latest);
  console.note(fmt::format("of {}, which ran {} last; --device names another: {}\n", latest,
                           options.experiment, fmt::join(devices, ", ")));
  return latest;
}

// "nbody/variants", as other commands take it, is the experiment 'variants' of the system 'nbody'.
void split_name(TransferArguments& options) {
  const std::size_t slash = options.experiment.find('/');
  if (slash == std::string::npos || !options.system.empty()) return;
  options.system = options.experiment.substr(0, slash);
  options.experiment.erase(0, slash + 1);
}

void export_program(const TransferArguments& options, const Console& console) {
  ProgramScope scope{.experiment = options.experiment,
                     .system = options.system,
                     .spec = options.spec,
                     .configuration = options.configurations,
                     .folder = options.out};
  if (!options.configurations.empty()) return export_configuration(scope, console);
  Database database = open_to_read(options.database);
  scope.device =
      device_to_export(database, options, find_format(options.format, Direction::export_), console);
  export_best(wisdom_of(database, {options.experiment, scope.device, options.system}), scope, console);
}

void export_results(TransferArguments options, const Console& console) {
  split_name(options);
  const Format& format = find_format(options.format, Direction::export_);
  const std::optional<OverSizesOptions> over_sizes = options.over_sizes.options();
  if (over_sizes && !format.of_all_devices)
    throw Error(Diagnostic{.place = "--over-sizes",
                           .cause = "is for --format header and wisdom alone",
                           .hint = "other formats have all results"});
  if (format.is_folder) return export_program(options, console);
  for (const auto& [text, option] :
       {std::pair(&options.configurations, "--config"), std::pair(&options.spec, "--spec")})
    if (!text->empty())
      throw Error(Diagnostic{.place = option,
                             .cause = fmt::format("is for --format {} alone", kProgram),
                             .hint = "other formats have all configurations"});
  Database database = open_to_read(options.database);
  const std::string text = format.write(
      database,
      {options.experiment, device_to_export(database, options, format, console), options.system, over_sizes});
  if (options.out.empty()) {
    fmt::print("{}", text);
    return;
  }
  write_output_file(options.out, text);
  console.note(options.out + "\n");
}

}  // namespace

void add_import(Command& app) {
  Command* command = app.add_subcommand("import", "Add recorded results to the database; never twice");
  auto options = std::make_shared<TransferArguments>();
  command->add_option("FILE", options->files, "files of results, compressed with gzip or not")->required();
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, described(Direction::import))
      ->type_name(names_in_braces(Direction::import))
      ->capture_default_str();
  command->add_option("--experiment", options->experiment, "with --format ncu: what was profiled");
  Option* const filter = add_filter_option(*command, options->configurations);
  command->add_option("--config", options->configurations, "the same as --filter")->excludes(filter);
  command->add_option("--device", options->device,
                      "with --format ncu: the GPU that was profiled, where several have run that");
  command->footer(
      "Reads what 'tailwave export' wrote, T4 files, and cachefiles of Kernel Tuner, finished or not; "
      "the content says which. With --format ncu, what Nsight Compute counted (ncu --csv, with --page raw or "
      "without): its launches are looked for in the configurations that the database has, by kernel, grid and block.\n"
      "Examples: tailwave import results/h200/nbody/*.json\n"
      "          tailwave import convolution-A4000.json.gz convolution-A4000-T4.json\n"
      "          tailwave import --format ncu --experiment nbody/variants --config variant=tuned profile.csv");
  const auto output = add_output_options(*command, JsonResult::none);
  command->callback([options, output] { import(*options, Console(*output)); });
}

void add_export(Command& app) {
  Command* command = app.add_subcommand("export", "Write an experiment's results on one device as text");
  auto options = std::make_shared<TransferArguments>();
  command->add_option("--experiment", options->experiment, "the experiment: NAME or SYSTEM/NAME")->required();
  command->add_option("--system", options->system, "its system, where two have an experiment of that name");
  command->add_option(
      "--device", options->device,
      "the device, else the one that ran it last: its name or a part of it, or as --target calls it (h200)");
  command->add_option("--out", options->out,
                      "the file to write (default: standard output), or the folder of --format program");
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, described(Direction::export_))
      ->type_name(names_in_braces(Direction::export_))
      ->capture_default_str();
  Option* const filter = add_filter_option(*command, options->configurations);
  command
      ->add_option(
          "--config", options->configurations,
          "with --format program: one configuration, named as for --filter elsewhere, instead of the best")
      ->excludes(filter);
  command->add_option("--spec", options->spec,
                      "with --format program: the experiment's file; else the project's of that name");
  add_over_sizes_options(
      *command, options->over_sizes,
      "header and wisdom: one configuration for all problems, instead of the best of each");
  command->footer(
      "Examples: tailwave export --experiment tuning --out results/h200/nbody/tuning.json\n"
      "          tailwave export --experiment tuning --format t4 --out tuning-H200-T4.json\n"
      "          tailwave export --experiment tuning --format kernel-tuner --out tuning-H200.json\n"
      "          tailwave export --experiment tuning --format header --over-sizes --keep 2 --out nbody_tuning.h\n"
      "          tailwave export --experiment nbody/tuning --format program --device h200 --out nbody_program");
  const auto output = add_output_options(*command, JsonResult::none);
  command->callback([options, output] { export_results(*options, Console(*output)); });
}

}  // namespace tailwave
