#include "tune/finalists.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/bootstrap.h"
#include "store/current_trials.h"
#include "store/search_store.h"
#include "tune/search_cost.h"

namespace tailwave {
namespace {

// Each measures all finalists so far anew, interleaved.
constexpr int kMostFinalRounds = 4;

// The lowest cost that they have now; summary.best is the one that has it.
double measure_again(Tuning& tuning, const std::vector<Configuration>& finalists, SearchSummary& summary) {
  PipelineOptions options;
  options.only = finalists;
  options.shard = tuning.options.shard;
  options.build_processes = tuning.options.build_processes;
  options.seed = tuning.options.seed;
  options.stop_requested = tuning.options.stop_requested;
  options.measure = finalists.size() == 1 ? tuning.confirming : tuning.final;
  const RunSummary final = run_experiment(tuning.experiment, tuning.team.first(), tuning.store,
                                          tuning.environment, options, tuning.progress);
  summary.final_run = final.run;
  summary.final_s += final.total_s;
  if (!final.weak_reference.empty()) summary.weak_reference = final.weak_reference;
  summary.measured_again = finalists.size();
  set_final_run(tuning.store.database(), summary.run, final.run);
  if (final.interrupted) summary.stopped_by = SearchEnd::interrupt;
  double lowest = kFailed;
  for (const Configuration& finalist : finalists) {
    const std::optional<std::int64_t> trial = tuning.store.trial_of(final.run, finalist);
    const double cost =
        trial ? stored_cost(tuning.experiment.metric, tuning.store.result_of(*trial)) : kFailed;
    if (cost >= lowest) continue;
    lowest = cost;
    summary.best = finalist;
  }
  return lowest;
}

// What the database has that seems better than the answer so far. It was measured in another session, in which all times
// may have been others, so that it has to be measured beside the answer.
std::optional<Configuration> better_elsewhere(Tuning& tuning, const ProblemSpace& space,
                                              const SearchSummary& summary) {
  if (!summary.final_run) return std::nullopt;
  const Experiment& experiment = tuning.experiment;
  const DeviceDescription device = tuning.team.tools().device->description();
  const std::optional<BetterTrial> better =
      better_trial(tuning.store.database(), experiment.system.name, experiment.name, device.name,
                   summary.best->name(), TieOptions().margin);
  if (!better) return std::nullopt;
  for (Configuration& known :
       tuning.store.known_configurations(experiment.name, device, experiment.system.name))
    if (known.name() == better->configuration && space.has(known)) return std::move(known);
  return std::nullopt;
}

}  // namespace

void choose_best(Tuning& tuning, const ProblemSpace& space, const std::vector<Evaluation>& ranked,
                 const std::set<Point>& identical, SearchSummary& summary) {
  if (ranked.empty()) return;
  const Evaluation& first = ranked.front();
  summary.best = space.configuration(first.point);
  summary.best_value = value_of(tuning.experiment.metric, first.cost);
  double limit = first.cost * (1 + kLeaderShare);
  summary.leaders = static_cast<std::size_t>(
      std::count_if(ranked.begin(), ranked.end(), [&](const Evaluation& one) { return one.cost <= limit; }));
  if (tuning.options.final_count == 0) return;
  std::vector<Configuration> finalists;
  // What the database had as a better one may be among those of the search that join later.
  const auto add = [&](Configuration one) {
    if (std::ranges::find(finalists, one) == finalists.end()) finalists.push_back(std::move(one));
  };
  std::size_t next = 0;
  for (int round = 0; round < kMostFinalRounds && summary.stopped_by != SearchEnd::interrupt; ++round) {
    const std::size_t before = finalists.size();
    for (; next < ranked.size() && ranked[next].cost <= limit; ++next) {
      if (finalists.size() - before == tuning.options.final_count) break;
      if (!identical.contains(ranked[next].point)) add(space.configuration(ranked[next].point));
    }
    if (std::optional<Configuration> better = better_elsewhere(tuning, space, summary))
      add(*std::move(better));
    if (finalists.size() == before) return;
    limit = measure_again(tuning, finalists, summary) / (1 + kLeaderShare);
  }
}

}  // namespace tailwave
