#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/device_name.h"
#include "cli/energy_said.h"
#include "cli/fail_on.h"
#include "cli/figures.h"
#include "cli/front_said.h"
#include "cli/measured_gpus.h"
#include "cli/number_check.h"
#include "cli/progress.h"
#include "cli/regime_check.h"
#include "cli/result_database.h"
#include "cli/result_json.h"
#include "cli/run_counters.h"
#include "cli/run_counts.h"
#include "cli/session.h"
#include "cli/spec_warnings.h"
#include "cli/winner_said.h"
#include "report/noise.h"
#include "report/queries.h"
#include "report/section_text.h"
#include "report/study_reader.h"
#include "report/summary.h"
#include "report/winner.h"
#include "spec/experiment.h"
#include "spec/overrides.h"
#include "spec/paths.h"
#include "store/database.h"
#include "store/metric_store.h"
#include "tune/pipeline.h"
#include "tune/regimes.h"

namespace tailwave {
namespace {

struct RunArguments {
  std::vector<std::string> specs;
  SessionOptions session;
  std::string filter;
  Shard shard;
  std::vector<std::string> fail_on;
  std::uint64_t seed = 1;
  RunCounters counters;
  RegimeArguments regimes;
  Overrides overrides;
  bool figures = false;
};

std::string where_all_are(const Experiment& experiment, const DeviceDescription& device,
                          const RunTable& table, const std::string& database) {
  const std::string scope =
      fmt::format("--experiment {}/{} --device {}{}", experiment.system.name, experiment.name,
                  to_string(device.kind), database == kDefaultDatabase ? "" : " --db " + database);
  std::string text = fmt::format(
      "{} of {} configurations, the best first: 'tailwave query best {} --limit {}' has all that are correct",
      table.shown.rows.size(), table.configurations, scope, table.configurations);
  if (table.failures > 0)
    text += fmt::format(", 'tailwave query failures {}' the other {}", scope, table.failures);
  return text;
}

// What to do about the failures of a run: a line for each outcome, or for each of its causes where these are told
// apart.
std::vector<std::string> next_steps(Database& database, const Experiment& experiment,
                                    const DeviceDescription& device, const RunSummary& summary) {
  const Table failures =
      run_query(database, find_query("failures", "."),
                {{"experiment", experiment.system.name + "/" + experiment.name}, {"device", device.name}});
  std::set<std::string> lines;
  for (const auto& row : failures.rows) {
    const auto text = [&](const char* name) {
      const auto column = std::ranges::find(failures.columns, name) - failures.columns.begin();
      return std::get<std::string>(row.at(static_cast<std::size_t>(column)));
    };
    const auto outcome = from_string<Outcome>(text("outcome"));
    if (is_failure(outcome) && summary.outcomes.contains(outcome))
      lines.insert(text("outcome") + ": " + text("next_step"));
  }
  return {lines.begin(), lines.end()};
}

// What a newcomer has to know of the table.
std::vector<std::string> remarks(Database& database, const Experiment& experiment,
                                 const DeviceDescription& device, const RunSummary& summary,
                                 const RunTable& table) {
  std::vector<std::string> lines;
  const auto has = [&](const std::string& column) {
    const std::vector<std::string>& columns = table.shown.columns;
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (table.shown.rows.size() < table.configurations)
    lines.push_back(where_all_are(experiment, device, table, database.file().string()));
  if (has(kNoiseColumn)) lines.push_back(noise_remark(device.kind));
  if (std::string remark = times_remark(experiment, device); !remark.empty())
    lines.push_back(std::move(remark));
  if (device.kind == DeviceKind::cpu && experiment.has_cpu_problem())
    lines.emplace_back(
        "blocks/SM, limiter and waves are those of the problem of the CPU device (devices.cpu); "
        "'tailwave plan' has those of the whole one");
  if (std::string hint = sizes_hint(experiment.system); !hint.empty()) lines.push_back(std::move(hint));
  for (const MissingMetric& one :
       missing_metrics(database, experiment.system.name, experiment.name, device.name))
    lines.push_back(fmt::format("{}: not known of {} configuration{}: {}", one.name, one.configurations,
                                one.configurations == 1 ? "" : "s", one.reason));
  std::ranges::copy(next_steps(database, experiment, device, summary), std::back_inserter(lines));
  return lines;
}

// Of code that has changed since nothing can be held beside what was measured now.
void say_winners_or_why_not(Database& database, const Experiment& experiment, const RunSummary& summary,
                            const Study& study, const Console& console) {
  const DeviceStudy& device = study.devices.front();
  if (summary.outdated > 0)
    return console.say(fmt::format(
        "{} of {} rows are of earlier code or settings than this run's, so there is no winner: run without "
        "--filter\n",
        summary.outdated, device.rows.size()));
  const std::vector<Winner> winners = winners_of(database, device);
  if (winners.empty()) console.say(no_winner_text(database, experiment, study));
  say_winners(study, winners, console);
}

void print_summary(Database& database, const Experiment& experiment, const DeviceDescription& device,
                   const RunSummary& summary, const std::string& gpus, bool is_filtered,
                   const Console& console) {
  std::string line =
      fmt::format("\n{} on {}: {}", experiment.name, device.name, ended_text(experiment.system, summary));
  if (!summary.outcomes.empty() && !console.quiet())
    line += "\n" + time_spent(summary.phases, summary.total_s);
  if (!summary.weak_reference.empty()) line += "\n" + summary.weak_reference;
  console.say(line + "\n" + gpus);
  const Study study = load_results(database, experiment.system.name + "/" + experiment.name, device.name);
  const RunTable table = summary_table(study);
  if (is_filtered && summary.outdated == 0 && table.configurations > summary.chosen())
    console.say(fmt::format("--filter chose {}: what follows is of all {} that have results\n",
                            plural(summary.chosen(), "configuration"), table.configurations));
  if (summary.of_other_shards > 0)
    console.say(fmt::format("{} in other shards: what follows is of what this database has\n",
                            plural(summary.of_other_shards, "configuration")));
  console.say("\n");
  say_winners_or_why_not(database, experiment, summary, study, console);
  console.say(table.common.empty() ? "\n" : "\nall: " + table.common + "\n");
  console.show(table.shown);
  say_energy(database, experiment, device, console);
  say_fronts(database, experiment, device, console);
  for (const std::string& remark : remarks(database, experiment, device, summary, table))
    console.say(remark + "\n");
}

RunOutcomes outcomes_of(const Experiment& experiment, const RunSummary& summary) {
  RunOutcomes outcomes{experiment.system.name + "/" + experiment.name, summary.outcomes};
  for (const auto& [outcome, count] : summary.reused_outcomes) outcomes.counts[outcome] += count;
  return outcomes;
}

// Regimes are about all that an experiment has; those that are asked for exclude a filter and shards.
std::vector<std::vector<Regime>> regimes_of(const RunArguments& options,
                                            const std::vector<Experiment>& experiments,
                                            const Console& console) {
  std::vector<std::vector<Regime>> wanted;
  for (const Experiment& experiment : experiments) {
    wanted.push_back(wanted_regimes(options.regimes, experiment));
    const bool is_whole = options.filter.empty() && options.shard.is_whole();
    if (is_whole || wanted.back().empty()) continue;
    wanted.back().clear();
    console.note(fmt::format("{}: not measured in regimes, since {} leaves configurations out\n",
                             experiment.name, options.filter.empty() ? "--shard" : "--filter"));
  }
  return wanted;
}

// What became of an experiment.
struct EndedRun {
  RunOutcomes outcomes;
  bool interrupted = false;
  nlohmann::ordered_json json, answers;  // with --json, with --fom
};

// Of all experiments that have ended.
struct EndedRuns {
  std::vector<RunOutcomes> outcomes;
  nlohmann::ordered_json json = nlohmann::ordered_json::array(), answers = nlohmann::ordered_json::array();
};

class ExperimentRun {
 public:
  ExperimentRun(Session& session, const Experiment& experiment, const PipelineOptions& options,
                const Console& console)
      : session_(session),
        experiment_(experiment),
        options_(options),
        console_(console),
        gpus_(session.tools_of_all(), console),
        measurer_(gpus_.team().first()) {}

  EndedRun run(const std::vector<Regime>& regimes, std::uint64_t most_finalists, bool figures) {
    RunSummary summary = measure();
    if (!summary.interrupted)
      summary.interrupted = !measure_energy_of_best(session_, experiment_, measurer_, console_);
    EndedRun result{outcomes_of(experiment_, summary), summary.interrupted, {}, {}};
    if (figures) result.answers = answers_of(summary);
    if (console_.json())
      result.json = json_of(summary);
    else if (summary.reused > 0 || !summary.outcomes.empty())
      print_summary(session_.database(), experiment_, session_.device(), summary,
                    gpus_text(summary, gpus_.team()), !options_.filter.empty(), console_);
    if (regimes.empty() || summary.interrupted) return result;
    const RegimeSummary in_regimes = measure_in(regimes, most_finalists);
    result.interrupted = in_regimes.interrupted;
    if (console_.json())
      result.json["regimes"] = regimes_json(session_.database(), experiment_, session_.device(), in_regimes);
    else if (!in_regimes.interrupted)
      say_regimes(session_.database(), experiment_, session_.device(), in_regimes, console_);
    return result;
  }

 private:
  nlohmann::ordered_json json_of(const RunSummary& summary) {
    nlohmann::ordered_json json = run_json(session_.database(), experiment_, session_.device().name, summary);
    json.update(answers_of(summary));
    json["outdated"] = summary.outdated;
    if (!summary.gpu_factors.empty()) json["gpus"] = gpus_json(summary, gpus_.team());
    if (summary.leaders_run) json["leaders_run"] = *summary.leaders_run;
    if (!experiment_.objectives.empty())
      json["front"] = fronts_json(session_.database(), experiment_, session_.device());
    return json;
  }

  // Among results of earlier code nothing is the winner.
  nlohmann::ordered_json answers_of(const RunSummary& summary) {
    nlohmann::ordered_json answers = answers_json(session_.database(), experiment_, session_.device());
    if (summary.outdated > 0) take_winners(answers);
    answers["seconds"] = summary.total_s;
    return answers;
  }

  RunSummary measure() {
    TerminalProgress progress(experiment_, console_);
    return run_experiment(experiment_, gpus_.team(), session_.store(), session_.environment(experiment_),
                          options_, progress);
  }

  RegimeSummary measure_in(const std::vector<Regime>& regimes, std::uint64_t most_finalists) {
    TerminalProgress progress(experiment_, console_);
    const RegimeOptions options{.regimes = regimes,
                                .most_finalists = most_finalists,
                                .fresh = options_.fresh,
                                .build_processes = options_.build_processes,
                                .seed = options_.seed,
                                .stop_requested = options_.stop_requested};
    return measure_regimes(experiment_, measurer_, session_.store(), session_.environment(experiment_),
                           options, progress);
  }

  Session& session_;
  const Experiment& experiment_;
  const PipelineOptions& options_;
  const Console& console_;
  MeasuredGpus gpus_;
  Measurer& measurer_;
};

// Each with values that its file does not have.
void make_tries(std::vector<Experiment>& experiments, const Overrides& overrides, const Console& console) {
  for (Experiment& experiment : experiments) {
    const std::string name = experiment.system.name + "/" + experiment.name;
    experiment = with_overrides(std::move(experiment), overrides);
    console.note(fmt::format(
        "a try of {} with {}: stored as {}/{}, apart from what the experiment itself measures, and "
        "in no report\n",
        name, overrides.text(), experiment.system.name, experiment.name));
  }
}

// All experiments on GPUs of one model, or on one device. Whether it was interrupted.
bool run_on(const RunArguments& options, const SessionOptions& session_options,
            const std::vector<Experiment>& experiments, const std::vector<std::vector<Regime>>& regimes,
            const std::vector<Diagnostics>& warnings, const Console& console, EndedRuns& ended) {
  Session session(session_options, experiments, console);
  PipelineOptions run_options;
  run_options.fresh = options.session.fresh || options.session.draw;  // other inputs are to be seen
  run_options.filter = options.filter;
  run_options.shard = options.shard;
  run_options.seed = options.seed;
  run_options.build_processes = build_processes();
  run_options.stop_requested = InterruptGuard::requested;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    EndedRun result = ExperimentRun(session, session.experiments()[i], run_options, console)
                          .run(regimes.at(i), options.regimes.most, options.figures);
    if (console.json()) {
      result.json["warnings"] = warnings_json(warnings.at(i));
      ended.json.push_back(std::move(result.json));
    }
    ended.outcomes.push_back(std::move(result.outcomes));
    if (options.figures) ended.answers.push_back(std::move(result.answers));
    if (result.interrupted) return true;
  }
  if (session_options.counts) count_leaders(session, options.counters, console);
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments)
    names.push_back(experiment.system.name + "/" + experiment.name);
  keep_rankings_or_note(session.database(), console, names);
  return false;
}

void run(const RunArguments& options, const Console& console) {
  std::vector<Experiment> experiments = load_experiments(options.specs);
  if (options.overrides.any()) make_tries(experiments, options.overrides, console);
  SessionOptions session_options = options.session;
  session_options.counts = !options.counters.set.empty();
  if (session_options.counts && session_options.sms > 0)
    throw Error(Diagnostic{.place = "run",
                           .cause = "--counters counts on a whole GPU, not on the SMs of --sms",
                           .hint = "leave one of them out"});
  if (options.counters.most && options.counters.set.empty())
    throw Error(Diagnostic{.place = "run",
                           .cause = "--counters-most says how many are counted, and nothing is",
                           .hint = "add --counters"});
  const std::vector<std::vector<Regime>> regimes = regimes_of(options, experiments, console);
  std::vector<Diagnostics> warnings;  // of each
  SpecWarnings said(console);
  for (const Experiment& experiment : experiments) said.say(warnings.emplace_back(warnings_of(experiment)));
  EndedRuns ended;
  bool interrupted = false;
  for (const std::string& gpus : devices_by_model(options.session.device)) {
    session_options.device = gpus;
    interrupted = run_on(options, session_options, experiments, regimes, warnings, console, ended);
    if (interrupted) break;
  }
  console.result({{"experiments", ended.json}});
  if (interrupted) throw Error("interrupted: what was measured is stored; run again to continue");
  print_figures(ended.answers);
  check_run_conditions(ended.outcomes, options.fail_on);
  require_figures(ended.answers);
}

}  // namespace

void add_run(Command& app) {
  Command* command =
      app.add_subcommand("run", "Verify and measure experiments; continues what was interrupted");
  auto options = std::make_shared<RunArguments>();
  command->add_option("SPEC", options->specs, "experiment files or folders of them")->required();
  options->session.several_gpus = true;
  add_session_options(*command, options->session);
  add_sms_option(*command, options->session);
  add_target_option(*command, options->session);
  Option* const filter = add_filter_option(*command, options->filter);
  command
      ->add_option(
          "--set", options->overrides.settings,
          "NAME=VALUE[,VALUE]: a try with other values of a problem quantity or a parameter, kept apart "
          "from the experiment's own results; may be repeated")
      ->one_value_each();
  command
      ->add_option("--samples", options->overrides.samples,
                   "a try with so many samples of each configuration")
      ->check(whole_number(1, 1'000'000));
  const Option* const shard = add_shard_option(*command, options->shard);
  add_regime_options(*command, options->regimes)->excludes(filter)->excludes(shard);
  add_seed_option(*command, options->seed, "of the random order of configurations");
  add_reference_option(*command, options->session.reference_place);
  add_draw_option(*command, options->session.draw, "a number of this machine's own");
  add_run_counters(*command, options->counters);
  command->add_flag(
      "--fresh", options->session.fresh,
      "measure again what the database already has; a whole run then takes the place of all earlier ones, "
      "one with --filter only of what it measures");
  command
      ->add_option(
          "--fail-on", options->fail_on,
          "exit with status 3 where a configuration, measured now or before, has failed: failed, an outcome "
          "(compile_error, wrong_result, ...), or all-failed (none of an experiment is correct); may be "
          "repeated")
      ->one_of(run_condition_names())
      ->one_value_each();
  command->footer(
      "Exit status: 0 done, whatever became of configurations, and of counters; 1 it could not be done; 2 bad usage; 3 a --fail-on "
      "is fulfilled.\n"
      "Examples:\n"
      "  tailwave run experiments/nbody/variants.json --device cuda:0\n"
      "  tailwave run experiments/nbody/variants.json --set N=8192 --samples 20\n"
      "  tailwave run experiments/nbody/variants.json --shard 2/6 --db shard2.db");
  const auto output = add_output_options(*command, JsonResult::offered);
  add_figures_option(*command, options->figures);
  command->callback([options, output] { run(*options, Console(*output)); });
}

}  // namespace tailwave
