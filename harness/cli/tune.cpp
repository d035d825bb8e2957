#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/energy_said.h"
#include "cli/figures.h"
#include "cli/front_said.h"
#include "cli/leaders_said.h"
#include "cli/measured_gpus.h"
#include "cli/number_check.h"
#include "cli/over_sizes_said.h"
#include "cli/progress.h"
#include "cli/regime_check.h"
#include "cli/result_database.h"
#include "cli/result_json.h"
#include "cli/run_counts.h"
#include "cli/session.h"
#include "core/bootstrap.h"
#include "interchange/import.h"
#include "report/units.h"
#include "spec/experiment.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "store/current_trials.h"
#include "store/database.h"
#include "tune/regimes.h"
#include "tune/tune_over_sizes.h"
#include "tune/tuner.h"

namespace tailwave {
namespace {

// What finds most in few evaluations on spaces that were measured to their end: see docs/searching.md.
constexpr const char* kDefaultStrategy = "wave_guided";

struct TuneArguments {
  std::string spec;
  std::optional<std::string> strategy;  // none: the default
  std::optional<std::string> budget;    // none: default_budget()
  std::optional<std::string> until;     // none: StopTerms where no budget is given either
  std::vector<std::string> options;     // "NAME=NUMBER"
  std::string start = "auto";
  SessionOptions session;
  std::uint64_t seed = 1;
  Shard shard;
  std::size_t final_count = 5;
  bool ordered = false;
  bool figures = false;
  RegimeArguments regimes;
  OverSizesArguments over_sizes;
};

std::string counted(const System& system, const SearchSummary& summary) {
  const Count& size = summary.start.space_size;
  const double share = 100.0 * static_cast<double>(summary.evaluations) / std::max(1.0, size.number);
  std::string text =
      size.is_exact
          ? fmt::format("{} evaluations, {:.3g} % of {} configurations:", summary.evaluations, share,
                        to_string(size))
          : fmt::format("{} evaluations of {} configurations:", summary.evaluations, to_string(size));
  if (!summary.outcomes.empty()) text += " " + counts_text(system, summary.outcomes);
  if (summary.reused > 0) text += fmt::format(" {} from before", summary.reused);
  if (summary.start.impossible > 0) text += fmt::format("; {} impossible", summary.start.impossible);
  if (summary.stopped_by == SearchEnd::space) text += "; none is left to evaluate";
  if (summary.failure) text += "; then the strategy failed";
  return text;
}

// What going on might gain, and when that ended the search.
std::string outlook_text(const SearchSummary& summary) {
  if (!summary.outlook) return "";
  const double percent = 100 * summary.outlook->probability;
  const std::string probability =
      percent >= 10 ? fmt::format("{:.0f}", percent) : fmt::format("{:.1f}", percent);
  // What was reused took no time.
  const std::size_t measured = summary.evaluations - summary.reused;
  const double seconds =
      summary.total_s / static_cast<double>(std::max<std::size_t>(1, measured)) * Outlook::kAhead;
  return fmt::format("{}another {:g} % within {} more evaluations{}: probability {} %\n",
                     summary.stopped_by == SearchEnd::until ? "ended (--until): " : "",
                     100 * summary.outlook->gain, Outlook::kAhead,
                     measured == 0 ? "" : ", about " + format_duration_ns(1e9 * seconds), probability);
}

// "" where nothing in the database is shown to be better than what the search found. What is was not measured beside
// it.
std::string better_one(Database& database, const Experiment& experiment, const DeviceDescription& device,
                       const SearchSummary& summary) {
  const std::optional<BetterTrial> better =
      better_trial(database, experiment.system.name, experiment.name, device.name, summary.best->name(),
                   TieOptions().margin);
  if (!better || !better->is_shown) return "";
  return fmt::format(
      "the database has a better one: {}, {} (run {}, {}), measured in another session, in which all may have "
      "been faster\n",
      better->configuration, describe_value(shown_metric(experiment.metric), better->value), better->run,
      better->run_started_at);
}

void print_summary(Database& database, const Experiment& experiment, const std::string& strategy,
                   const DeviceDescription& device, const SearchSummary& summary, const Console& console) {
  console.say(fmt::format("\n{}{} on {}: {}\n", experiment.name, problem_text(experiment, summary.start),
                          device.name, strategy));
  if (summary.best) say_leaders(database, experiment, device, summary, console);
  std::string text = counted(experiment.system, summary) + "\n" + outlook_text(summary);
  if (!console.quiet()) {
    text += time_spent(summary.phases, summary.total_s);
    if (summary.final_run) text += fmt::format("; {:.2f} s to measure the best again", summary.final_s);
    text += "\n";
  }
  if (const std::string remark = times_remark(experiment, device); summary.best && !remark.empty())
    text += remark + "\n";
  if (summary.best) text += better_one(database, experiment, device, summary);
  if (!summary.weak_reference.empty()) text += summary.weak_reference + "\n";
  if (summary.final_run && summary.leaders > summary.measured_again) {
    text += fmt::format("{} more were within {:g} % of the best and were not measured again (--final)\n",
                        summary.leaders - summary.measured_again, 100 * kLeaderShare);
  }
  console.say(text);
}

void require_best(const Experiment& experiment, const SearchSummary& summary, const std::string& budget) {
  if (summary.best) return;
  const std::string name = experiment.name + problem_text(experiment, summary.start);
  if (summary.evaluations == 0 && summary.stopped_by == SearchEnd::budget)
    throw Error(
        fmt::format("{}: the budget of {} ended before the first evaluation\n"
                    "  give more time, or a number of evaluations",
                    name, budget));
  throw Error(fmt::format(
      "{}: none of {} evaluated configurations ran correctly\n  'tailwave query failures' says why", name,
      summary.evaluations));
}

// What was not asked for otherwise; "" where all was.
std::string by_default(const TuneArguments& arguments) {
  std::vector<std::string> words;
  if (!arguments.strategy) words.push_back(fmt::format("strategy {}", kDefaultStrategy));
  if (!arguments.budget)
    words.push_back(fmt::format("a budget of {:g} % of each problem's configurations, {:g} to {:g}",
                                100 * kDefaultShare, kFewestEvaluations, kMostEvaluations));
  if (!arguments.budget && !arguments.until)
    words.push_back(fmt::format(
        "an end before that when another {:g} % within {} evaluations has a probability below {:g} %",
        100 * StopTerms{}.gain, Outlook::kAhead, 100 * StopTerms{}.probability));
  if (words.empty()) return "";
  return fmt::format("by default: {} (docs/searching.md says why)\n", fmt::join(words, ", "));
}

RegimeSummary measure_in_regimes(Session& session, Measurer& measurer, const TuneArguments& arguments,
                                 const TuneOptions& options, const std::vector<Regime>& regimes,
                                 const Console& console) {
  const Experiment& experiment = session.experiments().front();
  TerminalProgress progress(experiment, console);
  const RegimeOptions in_regimes{.regimes = regimes,
                                 .most_finalists = arguments.regimes.most,
                                 .fresh = options.fresh,
                                 .build_processes = options.build_processes,
                                 .seed = options.seed,
                                 .stop_requested = options.stop_requested};
  return measure_regimes(experiment, measurer, session.store(), session.environment(experiment), in_regimes,
                         progress);
}

constexpr const char* kStartAuto = "auto";
constexpr const char* kStartNone = "none";

bool is_database(const std::string& file) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string begin(kMagic.size(), '\0');
  std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

// What --start names, where that is a file.
std::unique_ptr<Database> start_database(const std::string& start) {
  if (start == kStartAuto || start == kStartNone) return nullptr;
  if (!std::filesystem::is_regular_file(start))
    throw Error(Diagnostic{.cause = fmt::format("--start {}: there is no such file", start),
                           .hint = "auto, none, a result database, or a file that 'tailwave import' reads"});
  if (is_database(start)) return std::make_unique<Database>(start, Database::Mode::read_only);
  auto database = std::make_unique<Database>(kInMemory, Database::Mode::read_write);
  static_cast<void>(import_recorded(*database, start));
  return database;
}

StartSource start_source(const std::string& start, Database* file) {
  if (file != nullptr) return {.kind = StartSource::Kind::other, .other = file};
  return {.kind = start == kStartNone ? StartSource::Kind::none : StartSource::Kind::own};
}

// What a file has is of this experiment, or somebody is mistaken.
void say_what_is_not_known(const TuneArguments& arguments, const Experiment& experiment,
                           const std::vector<SearchSummary>& summaries, const Console& console) {
  if (arguments.start == kStartAuto || arguments.start == kStartNone) return;
  for (const SearchSummary& summary : summaries)
    if (summary.start.begins_with.empty())
      console.note(fmt::format("{} has fewer than {} configurations of {}{}: the search began without it\n",
                               arguments.start, kFewestKnown, experiment.name,
                               problem_text(experiment, summary.start)));
}

OverSizesSummary measure_over_sizes(Session& session, Measurer& measurer, const TuneOptions& options,
                                    const OverSizesOptions& over, const std::vector<SearchSummary>& searches,
                                    const Console& console) {
  const Experiment& experiment = session.experiments().front();
  TerminalProgress progress(experiment, console);
  return tune_over_sizes(experiment, measurer, session.store(), session.environment(experiment), options,
                         over, searches, progress);
}

// All sizes are measured together, so that the searches need not measure their own leaders again.
TuneOptions without_finals(TuneOptions options) {
  options.final_count = 0;
  return options;
}

TuneOptions options_of(const TuneArguments& arguments, Database* start) {
  TuneOptions options;
  options.strategy = &find_strategy(arguments.strategy.value_or(kDefaultStrategy));
  options.options = complete_options(*options.strategy, parse_strategy_options(arguments.options));
  if (arguments.budget) options.budget = parse_budget(*arguments.budget);
  options.until = arguments.until    ? parse_until(*arguments.until)
                  : arguments.budget ? std::nullopt
                                     : std::optional(StopTerms{});
  options.start = start_source(arguments.start, start);
  options.seed = arguments.seed;
  options.shard = arguments.shard;
  options.fresh = arguments.session.fresh || arguments.session.draw;  // other inputs are to be seen
  options.ordered = arguments.ordered;
  options.final_count = arguments.final_count;
  options.build_processes = build_processes();
  options.stop_requested = InterruptGuard::requested;
  return options;
}

void say_empty_shard(const Experiment& experiment, const Shard& shard, const DeviceDescription& device,
                     const Console& console) {
  console.say(fmt::format("{} on {}: shard {} has no configuration that can run, so nothing was searched\n",
                          experiment.name, device.name, to_string(shard)));
  console.result({{"system", experiment.system.name},
                  {"experiment", experiment.name},
                  {"device", device.name},
                  {"searches", nlohmann::ordered_json::array()}});
}

void tune(const TuneArguments& arguments, const Console& console) {
  const std::unique_ptr<Database> start = start_database(arguments.start);
  const TuneOptions options = options_of(arguments, start.get());
  const std::optional<OverSizesOptions> over = arguments.over_sizes.options();
  Experiment loaded = load_experiment(arguments.spec);
  // They are about the best of the whole experiment.
  const std::vector<Regime> regimes =
      arguments.shard.is_whole() ? wanted_regimes(arguments.regimes, loaded) : std::vector<Regime>();
  console.note(by_default(arguments));
  Session session(arguments.session, {std::move(loaded)}, console);
  const Experiment& experiment = session.experiments().front();
  if (over) require_several(experiment, session.device().kind);
  ResultStore& store = session.store();
  MeasuredGpus gpus(session.tools_of_all(), console);
  Measurer& measurer = gpus.team().first();
  const auto all_figures = [&](const nlohmann::ordered_json& searches) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    if (arguments.figures)
      all.push_back(answers_of_searches(session.database(), experiment, session.device(), searches));
    return all;
  };
  std::vector<SearchSummary> summaries;
  {
    TerminalProgress progress(experiment, console);
    summaries = tune_experiment(experiment, gpus.team(), store, session.environment(experiment),
                                over ? without_finals(options) : options, progress);
  }
  if (summaries.empty()) {
    say_empty_shard(experiment, arguments.shard, session.device(), console);
    return require_figures(all_figures(nlohmann::ordered_json::array()));
  }
  say_what_is_not_known(arguments, experiment, summaries, console);
  bool interrupted = summaries.back().stopped_by == SearchEnd::interrupt ||
                     !measure_energy_of_best(session, experiment, measurer, console);
  const std::string strategy = fmt::format("{}, seed {}", options.strategy->name, options.seed);
  nlohmann::ordered_json searches = nlohmann::ordered_json::array();
  for (const SearchSummary& summary : summaries) {
    if (console.json() || arguments.figures)
      searches.push_back(search_json(session.database(), experiment, session.device(), summary));
    if (!console.json())
      print_summary(session.database(), experiment, strategy, session.device(), summary, console);
  }
  if (!console.json()) say_energy(session.database(), experiment, session.device(), console);
  if (!console.json()) say_fronts(session.database(), experiment, session.device(), console);
  nlohmann::ordered_json document{{"system", experiment.system.name},
                                  {"experiment", experiment.name},
                                  {"device", session.device().name},
                                  {"strategy", options.strategy->name},
                                  {"seed", options.seed},
                                  {"searches", searches}};
  if (!experiment.objectives.empty())
    document["front"] = fronts_json(session.database(), experiment, session.device());
  std::optional<OverSizesSummary> over_sizes;
  if (over && !interrupted && !summaries.back().failure) {
    over_sizes = measure_over_sizes(session, measurer, options, *over, summaries, console);
    interrupted = over_sizes->interrupted;
    if (console.json())
      document["over_sizes"] = over_sizes_json(experiment, *over_sizes);
    else if (!interrupted)
      say_over_sizes(experiment, *over_sizes, arguments.over_sizes, console);
  }
  if (!regimes.empty() && !interrupted) {
    const RegimeSummary summary = measure_in_regimes(session, measurer, arguments, options, regimes, console);
    interrupted = summary.interrupted;
    if (console.json())
      document["regimes"] = regimes_json(session.database(), experiment, session.device(), summary);
    else if (!interrupted)
      say_regimes(session.database(), experiment, session.device(), summary, console);
  }
  keep_rankings_or_note(session.database(), console, {experiment.system.name + "/" + experiment.name});
  console.result(document);
  if (interrupted)
    throw Error("interrupted: what was measured is stored; tune again with the same seed to continue");
  if (summaries.back().failure)
    throw Error(fmt::format("{}\n  what was measured is stored; the same command goes on from there",
                            summaries.back().failure->what()));
  const nlohmann::ordered_json figures = all_figures(searches);
  print_figures(figures);
  for (const SearchSummary& summary : summaries)
    require_best(experiment, summary, arguments.budget.value_or(""));
  if (over_sizes) require_kept(experiment, over_sizes->answer);
  require_figures(figures);
}

}  // namespace

void add_tune(Command& app) {
  Command* command = app.add_subcommand(
      "tune", "Search the configurations of an experiment for the best, instead of measuring all");
  auto arguments = std::make_shared<TuneArguments>();
  command->add_option("SPEC", arguments->spec, "an experiment file")->required();
  command
      ->add_option("--strategy", arguments->strategy,
                   "how to search; tailwave list strategies has the others")
      ->default_str(kDefaultStrategy);
  command->add_option("--budget", arguments->budget,
                      fmt::format("evaluations (500), or time (60s, 5m, 1.5h) before the best are measured "
                                  "again (default: {:g} % of each problem's configurations, {:g} to {:g})",
                                  100 * kDefaultShare, kFewestEvaluations, kMostEvaluations));
  command->add_option(
      "--until", arguments->until,
      fmt::format(
          "GAIN:PROBABILITY, or never: ends a search before its budget when one of the next {} "
          "evaluations gains so much with less than this probability (default: {} without --budget, else never)",
          Outlook::kAhead, to_string(StopTerms{})));
  command
      ->add_option(
          "--start", arguments->start,
          "what is known to begin with: auto (the same experiment on other devices, or sizes searched "
          "before, in the database), none, another database, or a file that 'tailwave import' reads")
      ->capture_default_str();
  add_strategy_options(*command, arguments->options, "an option of the strategy; may be repeated");
  add_seed_option(*command, arguments->seed, "of the strategy; the same seed repeats a search");
  arguments->session.several_gpus = true;
  add_session_options(*command, arguments->session);
  add_sms_option(*command, arguments->session);
  add_target_option(*command, arguments->session);
  command
      ->add_option("--final", arguments->final_count,
                   "how many of the best are measured again, interleaved; 0: none")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  add_over_sizes_options(
      *command, arguments->over_sizes,
      "find one configuration for all problems: the leaders of each are measured on all of them");
  Option* const shard = add_shard_option(*command, arguments->shard)->excludes({"--over-sizes"});
  add_regime_options(*command, arguments->regimes)->excludes(shard);
  add_reference_option(*command, arguments->session.reference_place);
  add_draw_option(*command, arguments->session.draw, "a number of this machine's own");
  command->add_flag("--ordered", arguments->ordered,
                    "measure in the order in which the strategy asks, not in that in which builds end: "
                    "the same seed then gives the same search on machines with other processors");
  command->add_flag("--fresh", arguments->session.fresh, "measure again what the database already has");
  command->footer(
      "Examples:\n"
      "  tailwave tune experiments/nbody/tuning.json\n"
      "  tailwave tune experiments/nbody/tuning.json --strategy random --budget 60s --device cuda:0\n"
      "  tailwave tune experiments/nbody/scaling.json --over-sizes --keep 2");
  const auto output = add_output_options(*command, JsonResult::offered);
  add_figures_option(*command, arguments->figures);
  command->callback([arguments, output] { tune(*arguments, Console(*output)); });
}

}  // namespace tailwave
