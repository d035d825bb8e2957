#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "core/table.h"
#include "device/cuda/cuda_device.h"
#include "occupancy/device_spec.h"
#include "report/queries.h"
#include "search/external.h"
#include "spec/experiment.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "spec/problem_space.h"
#include "spec/system_reader.h"
#include "store/views.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

std::string relative_to_here(const fs::path& file) {
  return fs::proximate(file).string();
}

// A broken file is listed with its first problem instead of ending the list.
Table list_systems() {
  Table table{{"system", "title", "variants", "file"}, {}};
  std::vector<fs::path> manifests;
  for (const auto& entry :
       fs::directory_iterator(find_project_root(fs::current_path()) / "kernel_templates")) {
    if (fs::exists(entry.path() / "system.json")) manifests.push_back(entry.path() / "system.json");
  }
  std::sort(manifests.begin(), manifests.end());
  for (const fs::path& file : manifests) {
    Diagnostics diagnostics;
    const std::optional<System> system = load_system(file, diagnostics);
    if (!system) {
      table.rows.push_back(
          {file.parent_path().filename().string(), diagnostics.at(0).cause, {}, relative_to_here(file)});
      continue;
    }
    std::string variants;
    for (const VariantSpec& variant : system->variants)
      variants += (variants.empty() ? "" : " ") + variant.name;
    table.rows.push_back({system->name, system->title, variants, relative_to_here(file)});
  }
  return table;
}

Table list_experiments() {
  Table table{{"experiment", "system", "configurations", "question", "file"}, {}};
  for (const fs::path& file : expand_specs({find_project_root(fs::current_path()) / "experiments"})) {
    Diagnostics diagnostics;
    const std::optional<Experiment> experiment = load_experiment(file, diagnostics);
    if (!experiment) {
      table.rows.push_back({file.stem().string(), {}, {}, diagnostics.at(0).cause, relative_to_here(file)});
      continue;
    }
    const Count count = count_configurations(*experiment, false);
    const Cell shown = count.is_exact ? Cell{count.whole()} : Cell{to_string(count)};
    table.rows.push_back(
        {experiment->name, experiment->system.name, shown, experiment->question, relative_to_here(file)});
  }
  return table;
}

Table list_devices() {
  Table table{{"device", "title", "compute_capability", "SMs", "here"}, {}};
  const std::vector<DeviceDescription> present = list_cuda_devices();
  for (std::size_t ordinal = 0; ordinal < present.size(); ++ordinal) {
    table.rows.push_back({fmt::format("cuda:{}", ordinal), present[ordinal].name,
                          std::int64_t{present[ordinal].compute_capability},
                          std::int64_t{present[ordinal].sms}, "yes"});
  }
  table.rows.push_back({"cpu", "the CPU device", {}, {}, "yes"});
  for (const DeviceSpec& device : known_devices()) {
    table.rows.push_back({device.name, device.title, std::int64_t{device.compute_capability},
                          std::int64_t{device.sms}, "plan only"});
  }
  return table;
}

Table list_named_queries() {
  Table table{{"query", "title"}, {}};
  for (const NamedQuery& query : list_queries(".")) table.rows.push_back({query.name, query.title});
  return table;
}

Table list_views() {
  Table table{{"view", "title"}, {}};
  for (const View& view : program_views()) table.rows.push_back({view.name, view.title()});
  return table;
}

// A line for each strategy and for each of its options.
Table list_strategies() {
  Table table{{"strategy", "option", "default", "from", "to", "description", "source"}, {}};
  const std::span<const StrategyKind> own = strategies();
  std::vector<StrategyKind> kinds(own.begin(), own.end());
  kinds.push_back(external_strategy("COMMAND"));
  for (const StrategyKind& kind : kinds) {
    table.rows.push_back(
        {kind.name, {}, {}, {}, {}, kind.description, kind.source.empty() ? Cell{} : Cell{kind.source}});
    for (const Hyperparameter& one : kind.hyperparameters)
      table.rows.push_back(
          {kind.name, one.name, one.default_value, one.least, one.most, one.description, {}});
  }
  return table;
}

struct List {
  const char* name;
  const char* title;
  Table (*make)();
};

constexpr std::array<List, 6> kLists{
    {{"systems", "computations of this project, with their variants", list_systems},
     {"experiments", "questions about them, with the number of configurations", list_experiments},
     {"devices", "what is here to run on, and GPUs to plan for", list_devices},
     {"strategies", "ways to search, with their options", list_strategies},
     {"queries", "ready-made questions to the result database", list_named_queries},
     {"views", "what SQL of your own can ask, beside the tables", list_views}}};

Table list(const std::string& what) {
  for (const List& list : kLists)
    if (list.name == what) return list.make();
  Table table{{"list", "title"}, {}};
  for (const List& list : kLists) table.rows.push_back({list.name, list.title});
  return table;
}

}  // namespace

void add_list(Command& app) {
  Command* command =
      app.add_subcommand("list", "List systems, experiments, devices, strategies, queries or views");
  auto what = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("table");
  command->add_option("WHAT", *what, "one of these; without it, what there is")
      ->one_of({"systems", "experiments", "devices", "strategies", "queries", "views"});
  command->add_option("--format", *format, "table, csv, json, markdown")->capture_default_str();
  command->footer("Example: tailwave list devices");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback(
      [what, format, output] { Console(*output).result(list(*what), parse_table_format(*format)); });
}

}  // namespace tailwave
