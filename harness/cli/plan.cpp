#include "tune/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/plan_foreign.h"
#include "cli/plan_targets.h"
#include "cli/result_database.h"
#include "cli/result_json.h"
#include "core/parallel.h"
#include "core/table.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "tune/explain.h"
#include "tune/plan_view.h"

namespace tailwave {
namespace {

struct PlanArguments {
  SandboxOptions sandbox;
  std::vector<std::string> specs;
  std::string target = "h100";
  std::string format = "table";
  std::string filter;
  std::size_t sample = 0;  // 0: no sample
  std::uint64_t seed = 1;
  std::optional<std::string> configuration;  // to be explained
  std::string from;                          // devices to predict times from; empty: none are predicted
  std::string database = kDefaultDatabase;
  std::size_t known = 0;
};

std::string heading(const Experiment& experiment, const PlanTargets& targets) {
  const PlannedDevice& first = targets.devices.front();
  if (targets.devices.size() == 1)
    return fmt::format("{} on {}, {} SMs, compiled for sm_{} by {}\n", experiment.name, first.spec.title,
                       first.spec.sms, first.target, targets.compiler_version);
  std::vector<std::string> codes;
  for (const auto& [target, compiler] : targets.compilers) codes.push_back(fmt::format("sm_{}", target));
  return fmt::format("{} on {} devices, main launches, compiled for {} by {}\n", experiment.name,
                     targets.devices.size(), fmt::join(codes, ", "), targets.compiler_version);
}

// What of an experiment is planned, and what is said of that: nothing where it is all.
struct Planned {
  std::vector<Configuration> configurations;
  Count all;
  std::string remark;
};

Planned choose(const Experiment& experiment, const PlanArguments& options) {
  constexpr std::size_t kFirst = 100;
  if (options.sample > 0) {
    PlanSample some = random_configurations(experiment, options.sample, options.seed);
    std::string remark = fmt::format("a random sample of {} of {} configurations (seed {})\n",
                                     some.configurations.size(), to_string(some.all), options.seed);
    return {std::move(some.configurations), some.all, std::move(remark)};
  }
  const Count all = count_planned(experiment);
  if (!options.filter.empty()) return {planned_configurations(experiment, options.filter), all, ""};
  if (all.number > kMostPlanned) {
    PlanSample some = first_configurations(experiment, kFirst);
    std::string remark = fmt::format(
        "the first {} of {} configurations: more than {} are not planned at once; "
        "--sample N shows N at random, --filter those with some values\n",
        some.configurations.size(), to_string(all), kMostPlanned);
    return {std::move(some.configurations), some.all, std::move(remark)};
  }
  return {planned_configurations(experiment), all, ""};
}

Table planned(const Experiment& experiment, const PlanTargets& targets,
              const std::vector<Configuration>& configurations) {
  const unsigned processes = hardware_threads();
  return targets.devices.size() == 1
             ? plan_table(experiment, configurations, targets.devices.front(), processes)
             : plan_table(experiment, configurations, targets.devices, processes);
}

void print_explanations(const Experiment& experiment, const PlanTargets& targets, const std::string& wanted) {
  const Configuration configuration = planned_configuration(experiment, wanted);
  for (const PlannedDevice& device : targets.devices)
    print_words((&device == &targets.devices.front() ? "" : "\n") +
                explain(experiment.system, configuration, device));
}

void check_foreign(const PlanArguments& options, std::size_t targets) {
  if (options.from.empty() && options.known > 0)
    throw Error(Diagnostic{.cause = "--known without --from",
                           .hint = "name the device whose times are known: --from h200"});
  if (!options.from.empty() && targets != 1)
    throw Error(Diagnostic{.cause = fmt::format("--from predicts for one --target, there are {}", targets),
                           .hint = "name one of them"});
}

void plan(const PlanArguments& options, const Console& console) {
  std::vector<DeviceSpec> specs = find_devices(options.target);
  check_foreign(options, specs.size());
  const TableFormat format = parse_table_format(options.format);
  const std::vector<std::filesystem::path> files = expand_specs({options.specs.begin(), options.specs.end()});
  if (options.configuration && files.size() > 1)
    throw Error(Diagnostic{.cause = fmt::format("--explain takes one experiment, there are {}", files.size()),
                           .hint = "name one file"});
  const PlanTargets targets = make_targets("plan", std::move(specs), options.sandbox, console);
  if (!options.configuration) warn_of_other_code(targets, console);
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  std::optional<ForeignPlanner> planner;
  if (!options.from.empty())
    planner.emplace(options.database, options.from, targets.devices.front(), options.known,
                    files.size() == 1);
  for (const std::filesystem::path& file : files) {
    const Experiment experiment = load_experiment(file);
    allow_project(experiment);
    if (options.configuration) {
      print_explanations(experiment, targets, *options.configuration);
      continue;
    }
    if (planner && !planner->knows(experiment, console)) continue;
    if (format == TableFormat::table) console.say(heading(experiment, targets));
    const Planned chosen = choose(experiment, options);
    console.note(chosen.remark);
    if (planner) {
      plans.push_back(planner->print(experiment, chosen.configurations, format, console));
      continue;
    }
    const Table table = planned(experiment, targets, chosen.configurations);
    if (console.json())
      plans.push_back({{"system", experiment.system.name},
                       {"experiment", experiment.name},
                       {"compiler", targets.compiler_version},
                       {"configurations", chosen.configurations.size()},
                       {"of", chosen.all.whole()},
                       {"of_are", counted_as(chosen.all)},
                       {"launches", to_json(table)}});
    else if (format == TableFormat::table)
      console.show_rows(targets.devices.size() == 1 ? shorten_plan(table) : table);
    else
      console.result(
          format == TableFormat::markdown && targets.devices.size() == 1 ? shorten_plan(table) : table,
          format);
  }
  if (planner) planner->print_summary(console);
  console.result({{"plans", plans}});
}

}  // namespace

void add_plan(Command& app) {
  Command* command = app.add_subcommand(
      "plan", "Compile every configuration and compute occupancy, waves and tail; needs no GPU");
  auto options = std::make_shared<PlanArguments>();
  command->add_option("SPEC", options->specs, "experiment files or folders of them")->required();
  add_unsafe_options(*command);
  add_sandbox_options(*command, options->sandbox);
  command
      ->add_option("--target", options->target,
                   "known GPUs (tailwave list devices) or sm_XX, separated by commas, or all of them: all")
      ->capture_default_str();
  Option* format =
      command->add_option("--format", options->format, "table, csv, json, markdown")->capture_default_str();
  Option* filter = add_filter_option(*command, options->filter);
  command
      ->add_option("--sample", options->sample,
                   "so many configurations at random; for spaces too large for a plan of all")
      ->check(whole_number(1, kMostPlanned))
      ->excludes(filter);
  add_seed_option(*command, options->seed, "of --sample");
  command
      ->add_option(
          "--explain", options->configuration,
          "of one configuration, named as for --filter: what limits its occupancy, what would lift it, "
          "and which grids have full waves")
      ->excludes(format)
      ->excludes(filter)
      ->excludes({"--sample"});
  command
      ->add_option(
          "--from", options->from,
          "predict times on the one --target from those that the database has of this GPU, or of several "
          "separated by commas")
      ->excludes({"--explain"});
  command->add_option("--db", options->database, "the result database, for --from")->capture_default_str();
  command
      ->add_option(
          "--known", options->known,
          "with --from: correct predictions by the times of so many configurations that the target has run, "
          "the fastest on the other first")
      ->check(whole_number(0, kMostPlanned))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  tailwave plan experiments/nbody/basic_block_size.json --target a100\n"
      "  tailwave plan experiments/nbody/variants.json --target all\n"
      "  tailwave plan experiments/nbody/variants.json --target h200 --explain variant=tuned,THIRD_LAW=true\n"
      "  tailwave plan experiments/nbody/tuning.json --from h200 --target a100");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->get_option("--json")->excludes(format)->excludes({"--explain"});
  command->callback([options, output] { plan(*options, Console(*output)); });
}

}  // namespace tailwave
