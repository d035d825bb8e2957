#include "interchange/safe_choice.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/over_sizes.h"
#include "core/statistics.h"

namespace tailwave {
namespace {

constexpr double kMostCombinations = 4e18;  // so that each has a number

using Trials = std::map<Values, const ChoiceTrial*>;  // of one configuration, by problem

Series pooled(const ChoiceTrial& trial) {
  Series all;
  for (const GpuResult& one : trial.gpus)
    all.repetitions.insert(all.repetitions.end(), one.costs.repetitions.begin(), one.costs.repetitions.end());
  return all;
}

std::optional<double> cost_of(const ChoiceTrial& trial) {
  const std::vector<double> samples = samples_of(pooled(trial));
  const bool failed = std::ranges::any_of(trial.gpus, &GpuResult::failed);
  if (failed || samples.empty()) return std::nullopt;
  const double cost = median(samples);
  return cost > 0 ? std::optional(cost) : std::nullopt;
}

bool is_worse_on_a_gpu(const ChoiceTrial& trial, const ChoiceTrial& standard) {
  for (const GpuResult& one : trial.gpus) {
    const auto other = std::ranges::find(standard.gpus, one.gpu, &GpuResult::gpu);
    if (other == standard.gpus.end() || samples_of(one.costs).empty() || samples_of(other->costs).empty())
      continue;
    if (ratio_interval(one.costs, other->costs).low > 1) return true;
  }
  return false;
}

bool is_known_better(const ChoiceTrial& trial, const ChoiceTrial& standard) {
  const std::optional<double> cost = cost_of(trial), of_standard = cost_of(standard);
  return cost && of_standard && *cost < *of_standard &&
         ratio_interval(pooled(trial), pooled(standard)).high < 1 && !is_worse_on_a_gpu(trial, standard);
}

// Of one problem: the best of what is known to be better. Luck puts few ahead of it that are not.
const ChoiceTrial* best_on(const std::vector<const ChoiceTrial*>& trials, const ChoiceTrial& standard) {
  constexpr std::size_t kMostTried = 16;
  std::vector<std::pair<double, const ChoiceTrial*>> ahead;
  const double of_standard = *cost_of(standard);
  for (const ChoiceTrial* trial : trials)
    if (const std::optional<double> cost = cost_of(*trial); cost && *cost < of_standard)
      ahead.emplace_back(*cost, trial);
  std::ranges::sort(ahead, [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first < other.first
                                    : one.second->configuration < other.second->configuration;
  });
  if (ahead.size() > kMostTried) ahead.resize(kMostTried);
  for (const auto& [cost, trial] : ahead)
    if (is_known_better(*trial, standard)) return trial;
  return nullptr;
}

std::vector<Configuration> candidates_of(const std::vector<ChoiceTrial>& trials, const Trials& standard,
                                         const std::vector<Configuration>& kept) {
  std::map<Values, std::vector<const ChoiceTrial*>> by_problem;
  for (const ChoiceTrial& trial : trials) {
    const Configuration own = without_problem(trial.configuration);
    if (kept.empty() || std::ranges::find(kept, own) != kept.end())
      by_problem[trial.configuration.problem].push_back(&trial);
  }
  std::map<Configuration, std::size_t> wins;
  for (const auto& [problem, of_problem] : by_problem) {
    const auto known = standard.find(problem);
    if (known == standard.end()) continue;
    if (const ChoiceTrial* best = best_on(of_problem, *known->second))
      ++wins[without_problem(best->configuration)];
  }
  std::vector<Configuration> best;
  for (const auto& [configuration, times] : wins) best.push_back(configuration);
  std::ranges::stable_sort(best, [&](const Configuration& one, const Configuration& other) {
    return wins.at(one) > wins.at(other);
  });
  if (best.size() > kMostSafeCandidates) best.resize(kMostSafeCandidates);
  return best;
}

Trials trials_of(const std::vector<ChoiceTrial>& trials, const Configuration& configuration) {
  Trials result;
  for (const ChoiceTrial& trial : trials)
    if (without_problem(trial.configuration) == configuration && cost_of(trial))
      result.emplace(trial.configuration.problem, &trial);
  return result;
}

std::optional<WaveSlots> slots_of(const Trials& trials) {
  std::optional<WaveSlots> slots;
  for (const auto& [problem, trial] : trials) {
    if (!trial->slots) return std::nullopt;
    if (slots && (slots->slots != trial->slots->slots || slots->sms != trial->slots->sms))
      return std::nullopt;
    slots = trial->slots;
  }
  return slots;
}

// What is measured of one configuration, by problem.
struct MeasuredSize {
  Trials trials;
  std::vector<std::optional<double>> costs, blocks;
  std::vector<double> overhangs;
  std::optional<WaveSlots> slots;
  WaveFit fit;
  std::vector<std::optional<double>> log_costs;  // less what waves and overhang say
};

MeasuredSize measured(const Trials& trials, const SafeChoice& choice) {
  MeasuredSize result{trials, {}, {}, {}, slots_of(trials), {}, {}};
  for (const Values& problem : choice.problems) {
    const auto trial = trials.find(problem);
    const bool known = trial != trials.end();
    result.costs.push_back(known ? cost_of(*trial->second) : std::nullopt);
    result.blocks.push_back(known ? trial->second->blocks : std::nullopt);
    result.overhangs.push_back(known ? trial->second->overhang : 1);
  }
  result.fit = fit_waves(choice.axes, result.costs, result.blocks, result.overhangs, result.slots);
  for (std::size_t i = 0; i < result.costs.size(); ++i) {
    std::optional<double>& log_cost = result.log_costs.emplace_back();
    if (!result.costs[i]) continue;
    log_cost = std::log(*result.costs[i]) - result.fit.overhang_power * std::log(result.overhangs[i]);
    if (result.fit.filling > 0)
      *log_cost -= std::log(wave_time(*result.blocks[i], *result.slots, result.fit.filling));
  }
  return result;
}

SafeCandidate candidate_of(const Configuration& configuration, const MeasuredSize& own,
                           const MeasuredSize& standard, const SafeChoice& choice) {
  SafeCandidate candidate{configuration,          "", own.slots.value_or(WaveSlots{}), own.fit.filling,
                          own.fit.overhang_power, {}};
  for (std::size_t i = 0; i < own.costs.size(); ++i) {
    const auto trial = own.trials.find(choice.problems[i]);
    const bool usable =
        own.costs[i] &&
        (&own == &standard || is_known_better(*trial->second, *standard.trials.at(choice.problems[i])));
    candidate.log_costs.push_back(usable ? *own.log_costs[i] : kUnknownCost);
    if (own.costs[i] && candidate.unverified.empty()) candidate.unverified = trial->second->unverified;
  }
  return candidate;
}

}  // namespace

SafeChoice safe_choice(const std::vector<ChoiceTrial>& trials, const Configuration& standard,
                       const std::vector<Configuration>& kept) {
  const Trials of_standard = trials_of(trials, standard);
  if (of_standard.empty()) return {};
  SafeChoice choice;
  for (const auto& [problem, trial] : of_standard) choice.problems.push_back(problem);
  if (!has_quantities(choice.problems, quantity_names(choice.problems.front()))) return {};
  choice.axes = size_axes(choice.problems);
  if (choice.axes.combinations() > kMostCombinations) return {};
  const auto has_several = [](const SizeAxis& axis) { return axis.places.size() > 1; };
  if (std::ranges::count_if(choice.axes.axes, has_several) > static_cast<std::ptrdiff_t>(kMostAxes))
    return {};
  const MeasuredSize default_one = measured(of_standard, choice);
  choice.candidates.push_back(candidate_of(standard, default_one, default_one, choice));
  for (const Configuration& one : candidates_of(trials, of_standard, kept))
    if (one != standard)
      choice.candidates.push_back(
          candidate_of(one, measured(trials_of(trials, one), choice), default_one, choice));
  return choice;
}

}  // namespace tailwave
