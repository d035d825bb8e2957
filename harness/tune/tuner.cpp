#include "tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/bootstrap.h"
#include "tune/environment.h"
#include "tune/problem_search.h"

namespace tailwave {
namespace {

constexpr double kHopeless = 10;  // so many times as long as the best

// As few samples as give an interval, and more for what may be a leader.
MeasureSettings search_settings(MeasureSettings settings) {
  settings.samples = std::min(settings.samples, static_cast<int>(kFewestSamples));
  settings.repetitions = 1;
  if (settings.race == 0) settings.race = kLeaderShare;
  if (!settings.give_up) settings.give_up = kHopeless;
  return settings;
}

MeasureSettings confirming_settings(MeasureSettings settings) {
  settings.repetitions = 1;
  settings.race = 0;
  settings.give_up.reset();
  return settings;
}

// The share of one problem of `left` to come, in seconds that of the time that is left.
SearchBudget share_of(const SearchBudget& budget, std::size_t number, std::size_t problems, double spent_s) {
  if (budget.seconds)
    return {.seconds = std::max(0.0, *budget.seconds - spent_s) / static_cast<double>(problems - number + 1)};
  const std::size_t extra = number <= *budget.evaluations % problems ? 1 : 0;
  return {.evaluations = *budget.evaluations / problems + extra};
}

SearchBudget budget_of(const TuneOptions& options, const std::vector<ProblemSpace>& spaces) {
  if (options.budget.evaluations || options.budget.seconds) return options.budget;
  std::vector<double> configurations;
  for (const ProblemSpace& space : spaces) configurations.push_back(space.points().count().number);
  return default_budget(configurations);
}

// What a shard searches of the spaces, and how much that is.
void find_share(Tuning& tuning, VariantSpec::Target target, bool on_cpu) {
  const Shard& shard = tuning.options.shard;
  if (shard.is_whole()) return;
  tuning.share = problem_spaces(tuning.experiment, target, on_cpu, SearchSpace::kMostListed, shard);
  tuning.progress.shard_chosen(shard, static_cast<std::size_t>(tuning.share->count().whole()),
                               static_cast<std::size_t>(tuning.spaces.count().whole()));
}

// Chooses what to search: the first kind of variants that there is.
void find_spaces(Tuning& tuning) {
  const bool on_cpu = tuning.team.tools().device->description().kind == DeviceKind::cpu;
  bool found = false;
  Count all;
  for (const VariantSpec::Target target : kTargetsByRank) {
    ProblemSpaces spaces = problem_spaces(tuning.experiment, target, on_cpu);
    all = all + spaces.count();
    const bool is_any = !spaces.spaces.empty() || spaces.left_out_on_cpu > 0;
    if (is_any && !found) {
      tuning.spaces = std::move(spaces);
      find_share(tuning, target, on_cpu);
    } else if (is_any)
      tuning.others.push_back(std::move(spaces));
    found = found || is_any;
  }
  tuning.configurations = static_cast<std::size_t>(all.whole());
  if (!tuning.spaces.spaces.empty()) return;
  throw Error(Diagnostic{.file = tuning.experiment.file.string(),
                         .place = "/devices/cpu/constraints",
                         .cause = fmt::format("none of {} configurations is left on the CPU device",
                                              tuning.spaces.left_out_on_cpu),
                         .hint = "name a GPU with --device"});
}

// Of the experiment's configurations those that a space is known to have and that cannot run.
void leave_out_impossible(Tuning& tuning, const ProblemSpace& space, const LaunchKnowledge& knowledge) {
  if (space.points().is_listed()) tuning.configurations -= knowledge.impossible;
}

}  // namespace

MeasureSettings final_settings(MeasureSettings settings) {
  settings.repetitions = std::max(settings.repetitions, static_cast<int>(kFewestRepetitions));
  settings.race = 0;
  settings.give_up.reset();
  return settings;
}

std::vector<SearchSummary> tune_experiment(const Experiment& experiment, Measurer& measurer,
                                           ResultStore& store, const RunRecord& environment,
                                           const TuneOptions& options, SearchProgress& progress) {
  Team team(measurer);
  return tune_experiment(experiment, team, store, environment, options, progress);
}

std::vector<SearchSummary> tune_experiment(const Experiment& experiment, Team& team, ResultStore& store,
                                           const RunRecord& environment, const TuneOptions& options,
                                           SearchProgress& progress) {
  Tuning tuning{.experiment = experiment,
                .searching = search_settings(experiment.measure),
                .final = final_settings(experiment.measure),
                .confirming = confirming_settings(experiment.measure),
                .team = team,
                .store = store,
                .environment = environment,
                .options = options,
                .progress = progress,
                .spaces = {},
                .share = {},
                .others = {}};
  find_spaces(tuning);
  const std::vector<ProblemSpace>& searched = tuning.searched();
  const std::size_t problems = searched.size();
  if (problems == 0) return {};
  const SearchBudget budget = budget_of(options, searched);
  if (budget.evaluations && *budget.evaluations < problems) {
    throw Error(
        Diagnostic{.cause = fmt::format("--budget {} is less than one evaluation for each of the {} problems",
                                        *budget.evaluations, problems),
                   .hint = "each problem is a search of its own"});
  }
  store_what_reports_need(experiment, store);
  const Tools& tools = team.tools();
  const bool prunes = tools.device->description().kind == DeviceKind::cuda;
  if (tuning.share)
    for (const ProblemSpace& space : tuning.spaces.spaces)
      leave_out_impossible(tuning, space, know_launches(space, tools.occupancy_device, prunes));
  std::vector<LaunchKnowledge> known;
  bool any_can_run = false;
  for (const ProblemSpace& space : searched) {
    const LaunchKnowledge& knowledge =
        known.emplace_back(know_launches(space, tools.occupancy_device, prunes));
    if (!tuning.share) leave_out_impossible(tuning, space, knowledge);
    any_can_run = any_can_run || knowledge.impossible == 0 || knowledge.impossible < knowledge.looked_at;
  }
  if (!any_can_run && tuning.share) return {};
  if (!any_can_run) {
    const bool is_listed = searched.front().points().is_listed();
    throw Error(fmt::format("none of {} {}configurations can run on {}, for example\n  {}",
                            known.front().looked_at, is_listed ? "" : "drawn ",
                            tools.device->description().name, known.front().why));
  }
  Count left_out;
  for (const ProblemSpaces& other : tuning.others) left_out = left_out + other.count();
  std::vector<SearchSummary> summaries;
  std::vector<Values> earlier;  // problems
  double spent_s = 0;
  for (const ProblemSpace& space : searched) {
    const std::size_t number = summaries.size() + 1;
    const LaunchKnowledge& knowledge = known[number - 1];
    SearchStart one{.number = number,
                    .problems = problems,
                    .problem = space.problem(),
                    .space_size = space.points().count(),
                    .impossible = space.points().is_listed() ? knowledge.impossible : 0,
                    .why_impossible = knowledge.why,
                    .budget = share_of(budget, number, problems, spent_s),
                    .left_out_on_cpu = tuning.spaces.left_out_on_cpu,
                    .left_out_of_others = left_out};
    const std::optional<KnownElsewhere> known_there =
        known_elsewhere(options.start, store.database(), experiment.system.name + "/" + experiment.name,
                        tools.device->description(), space, earlier);
    if (known_there) one.begins_with = known_there->said;
    summaries.push_back(search_problem(tuning, space, knowledge, known_there ? &known_there->costs : nullptr,
                                       std::move(one)));
    earlier.push_back(space.problem());
    spent_s += summaries.back().total_s;
    if (summaries.back().stopped_by == SearchEnd::interrupt || summaries.back().failure) break;
  }
  return summaries;
}

}  // namespace tailwave
