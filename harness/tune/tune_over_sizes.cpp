#include "tune/tune_over_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "search/strategy.h"
#include "spec/problem_space.h"
#include "tune/search_cost.h"

namespace tailwave {
namespace {

// Of each problem, the best, for which it is guessed how they do on others.
constexpr std::size_t kMostGuessed = 100;

using Evaluated = std::pair<Configuration, double>;

Configuration on_problem(Configuration configuration, const Values& problem) {
  configuration.problem = problem;
  return configuration;
}

// What ran, the best first.
std::vector<Evaluated> ranked(const SearchSummary& search) {
  std::vector<Evaluated> order = search.evaluated;
  std::erase_if(order, [](const Evaluated& one) { return one.second == kFailed; });
  std::ranges::stable_sort(order, {}, &Evaluated::second);
  return order;
}

std::size_t shared_parameters(const Configuration& one, const Configuration& other) {
  std::size_t shared = one.variant == other.variant ? 1 : 0;
  for (const auto& [name, value] : one.parameters) {
    const auto found = other.parameters.find(name);
    if (found != other.parameters.end() && found->second == value) ++shared;
  }
  return shared;
}

// The ratios on one problem.
class GuessedSize {
 public:
  GuessedSize(const SearchSummary& search, const std::function<bool(const Configuration&)>& has)
      : problem_(search.start.problem), order_(ranked(search)), has_(has) {
    for (const auto& [configuration, cost] : search.evaluated) costs_[without_problem(configuration)] = cost;
  }

  [[nodiscard]] const std::vector<Evaluated>& order() const { return order_; }

  [[nodiscard]] double ratio_of(const Configuration& wanted) const {
    if (order_.empty()) return kNotAtSize;
    const double best = order_.front().second;
    if (const auto known = costs_.find(wanted); known != costs_.end())
      return known->second == kFailed ? kFailedAtSize : known->second / best;
    if (!has_(on_problem(wanted, problem_))) return kNotAtSize;
    const Evaluated* nearest = &order_.front();
    std::size_t most = 0;
    for (const Evaluated& one : order_) {
      const std::size_t shared = shared_parameters(wanted, one.first);
      if (shared <= most) continue;
      most = shared;
      nearest = &one;
    }
    return nearest->second / best;
  }

 private:
  Values problem_;
  std::vector<Evaluated> order_;
  const std::function<bool(const Configuration&)>& has_;
  std::map<Configuration, double> costs_;
};

// Each once, in the order in which they came.
class Candidates {
 public:
  void add(const Configuration& one) {
    if (seen_.insert(one).second) all_.push_back(one);
  }
  [[nodiscard]] const std::vector<Configuration>& all() const { return all_; }

 private:
  std::set<Configuration> seen_;
  std::vector<Configuration> all_;
};

const std::vector<ProblemSize>& sizes_of(const Experiment& experiment, DeviceKind device) {
  return device == DeviceKind::cpu && experiment.has_cpu_problem() ? experiment.cpu_sizes : experiment.sizes;
}

// Of what the searches found, on all problems: known where it exists.
std::function<bool(const Configuration&)> membership(const ProblemSpaces& spaces) {
  return [&spaces](const Configuration& wanted) {
    return std::ranges::any_of(spaces.spaces, [&](const ProblemSpace& space) {
      return space.problem() == wanted.problem && space.has(wanted);
    });
  };
}

std::vector<SizeResult> results_of(ResultStore& store, const Metric& metric, std::int64_t run,
                                   const std::vector<Configuration>& measured) {
  std::vector<SizeResult> results;
  for (const Configuration& one : measured) {
    const std::optional<std::int64_t> trial = store.trial_of(run, one);
    if (!trial) continue;
    const double cost = stored_cost(metric, store.result_of(*trial));
    results.push_back({one, cost == kFailed ? std::nullopt : std::optional(cost)});
  }
  return results;
}

std::vector<double> weights_of(const std::vector<SearchSummary>& searches, const OverSizesOptions& over) {
  std::vector<double> weights;
  for (const SearchSummary& search : searches) weights.push_back(over.weight_of(search.start.problem));
  return weights;
}

PipelineOptions options_of(const Experiment& experiment, const TuneOptions& options) {
  PipelineOptions again;
  again.measure = final_settings(experiment.measure);
  again.build_processes = options.build_processes;
  again.seed = options.seed;
  again.stop_requested = options.stop_requested;
  return again;
}

}  // namespace

GuessedSizes guess_over_sizes(const std::vector<SearchSummary>& searches,
                              const std::function<bool(const Configuration&)>& has) {
  std::vector<GuessedSize> sizes;
  for (const SearchSummary& search : searches) sizes.emplace_back(search, has);
  Candidates best;
  for (const GuessedSize& size : sizes)
    for (std::size_t i = 0; i < std::min(kMostGuessed, size.order().size()); ++i)
      best.add(without_problem(size.order()[i].first));
  GuessedSizes guessed;
  for (const Configuration& one : best.all()) {
    SizeRatios ratios;
    for (const GuessedSize& size : sizes) ratios.push_back(size.ratio_of(one));
    if (std::ranges::any_of(ratios, [](double ratio) { return std::isnan(ratio); })) continue;
    guessed.configurations.push_back(one);
    guessed.ratios.push_back(std::move(ratios));
  }
  return guessed;
}

std::vector<Configuration> candidates_over_sizes(const std::vector<SearchSummary>& searches,
                                                 const GuessedSizes& guessed, std::size_t most_leaders,
                                                 const std::vector<double>& weights,
                                                 const OverSizesOptions& options) {
  Candidates candidates;
  for (const SearchSummary& search : searches) {
    const std::vector<Evaluated> order = ranked(search);
    for (std::size_t i = 0; i < std::min(most_leaders, order.size()); ++i)
      if (order[i].second <= order.front().second * (1 + kLeaderShare))
        candidates.add(without_problem(order[i].first));
  }
  for (const std::size_t row : choose_over_sizes(guessed.ratios, weights, options.keep, options.goal).chosen)
    candidates.add(guessed.configurations[row]);
  std::vector<SizeRatios> left = guessed.ratios;
  for (std::size_t i = 0; i < most_leaders; ++i) {
    const SizesChoice next = choose_over_sizes(left, weights, 1, options.goal);
    if (next.chosen.empty()) break;
    candidates.add(guessed.configurations[next.chosen.front()]);
    left[next.chosen.front()].assign(weights.size(), kFailedAtSize);
  }
  return candidates.all();
}

OverSizesSummary tune_over_sizes(const Experiment& experiment, Measurer& measurer, ResultStore& store,
                                 const RunRecord& environment, const TuneOptions& options,
                                 OverSizesOptions over, const std::vector<SearchSummary>& searches,
                                 Progress& progress) {
  OverSizesSummary summary;
  const auto best = std::ranges::find_if(searches, [](const auto& one) { return one.best.has_value(); });
  if (best == searches.end()) {
    summary.answer = over_sizes({}, over);
    return summary;
  }
  const DeviceKind device = measurer.tools().device->description().kind;
  for (const ProblemSize& size : sizes_of(experiment, device)) over.weights[size.problem] = size.weight;
  const VariantSpec::Target target = experiment.system.find_variant(best->best->variant)->target;
  const ProblemSpaces spaces = problem_spaces(experiment, target, device == DeviceKind::cpu);
  const auto has = membership(spaces);
  const std::vector<Configuration> candidates =
      candidates_over_sizes(searches, guess_over_sizes(searches, has),
                            std::max<std::size_t>(1, options.final_count), weights_of(searches, over), over);
  PipelineOptions again = options_of(experiment, options);
  for (const Configuration& one : candidates)
    for (const SearchSummary& search : searches)
      if (Configuration full = on_problem(one, search.start.problem); has(full))
        again.only.push_back(std::move(full));
  const RunSummary run = run_experiment(experiment, measurer, store, environment, again, progress);
  summary.run = run.run;
  summary.candidates = candidates.size();
  summary.phases = run.phases;
  summary.total_s = run.total_s;
  summary.interrupted = run.interrupted;
  summary.answer = over_sizes(results_of(store, experiment.metric, run.run, again.only), over);
  return summary;
}

}  // namespace tailwave
