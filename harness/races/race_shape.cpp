#include "races/race_shape.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/outcome.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"
#include "races/race_plan.h"
#include "spec/configuration_walk.h"

namespace tailwave {
namespace {

// What executing a configuration takes.
struct Load {
  std::map<std::pair<int, int>, LaunchRecord>
      launches;                                  // by plan (prepare, launches, finish) and position in it
  std::int64_t at_once = 0;                      // threads of the largest launch
  std::int64_t threads = 0;                      // of all launches
  std::int64_t largest_block = 0;                // in threads
  std::size_t elements = 0, largest_buffer = 0;  // of all buffers, and of the largest
};

// 0 also for one that goes with a loop's counter, which has no value here.
int stream_of(const LaunchSpec& launch, const Values& scope) {
  try {
    return evaluate_number(launch.stream, scope, "stream", kMostStreams);
  } catch (const Failure&) {
    return 0;
  }
}

std::optional<Load> load_of(const System& system, const VariantSpec& variant,
                            const Configuration& configuration) {
  Load load;
  try {
    const Values scope = scope_of_pe(variant, configuration.scope());
    for (const auto& [name, count] : buffer_counts(system, variant, scope)) {
      load.elements += count;
      load.largest_buffer = std::max(load.largest_buffer, count);
    }
    int plan_number = 0;
    std::set<int> streams;
    for (const std::vector<LaunchSpec>* plan : {&variant.prepare, &variant.launches, &variant.finish}) {
      for (LaunchRecord& launch : launch_shapes(*plan, scope)) {
        const std::int64_t block = launch.block.count(), threads = launch.grid.count() * block;
        load.at_once = std::max({load.at_once, threads, 2 * launch.grid.count()});
        load.threads += threads * launch.count;
        load.largest_block = std::max(load.largest_block, block);
        streams.insert(stream_of((*plan)[static_cast<std::size_t>(launch.position)], scope));
        load.launches.emplace(std::pair(plan_number, launch.position), std::move(launch));
      }
      ++plan_number;
    }
    load.at_once *= static_cast<std::int64_t>(streams.size());
  } catch (const Failure&) {
    return std::nullopt;
  }
  return load;
}

// Constraints that name what the variant lacks do not apply to it.
bool allowed(const Experiment& experiment, const VariantSpec& variant, const Values& scope) {
  try {
    if (!is_in_domain(variant, scope)) return false;
  } catch (const ExpressionError&) {
    return false;  // of a problem that nobody meant
  }
  return std::all_of(experiment.constraints.begin(), experiment.constraints.end(),
                     [&](const Expression& constraint) {
                       const bool applies = has_names_of(constraint, variant, experiment.system);
                       try {
                         return !applies || constraint.evaluate_bool(scope);
                       } catch (const ExpressionError&) {
                         return false;  // likewise
                       }
                     });
}

class Shrinker {
 public:
  // `enough`: nothing is halved once so many threads at most are left; 0: all that can be is.
  Shrinker(RaceCandidate candidate, const Load& original, std::int64_t blocks_kept, std::int64_t enough)
      : candidate_(std::move(candidate)),
        original_(original),
        blocks_kept_(blocks_kept),
        enough_(enough),
        load_(original) {}

  std::pair<Configuration, Load> shrink() {
    std::vector<std::string> all;
    for (const auto& [name, value] : candidate_.configuration.problem)
      if (std::holds_alternative<std::int64_t>(value)) all.push_back(name);
    bool ever = false;
    for (bool any = true; any; ever = ever || any) {
      any = false;
      for (const std::string& name : all) any = halve({name}) || any;
    }
    // Constraints may let them go down together only.
    while (!ever && halve(all)) continue;
    return {candidate_.configuration, load_};
  }

 private:
  bool halve(const std::vector<std::string>& quantities) {
    if (load_.at_once <= enough_) return false;
    Configuration smaller = candidate_.configuration;
    for (const std::string& name : quantities) {
      auto& value = std::get<std::int64_t>(smaller.problem.at(name));
      if (value > 3) value /= 2;
    }
    if (smaller == candidate_.configuration ||
        !allowed(*candidate_.experiment, *candidate_.variant, smaller.scope()))
      return false;
    std::optional<Load> load = load_of(candidate_.experiment->system, *candidate_.variant, smaller);
    if (!load || !is_less(*load) || !keeps_enough(*load)) return false;
    candidate_.configuration = std::move(smaller);
    load_ = std::move(*load);
    return true;
  }

  [[nodiscard]] bool is_less(const Load& load) const {
    return load.threads <= load_.threads && load.elements <= load_.elements &&
           load.at_once <= load_.at_once && (load.threads < load_.threads || load.elements < load_.elements);
  }

  [[nodiscard]] bool keeps_enough(const Load& load) const {
    // Threads need something to work at, where there need not be less.
    const auto elements_kept = static_cast<std::size_t>(2 * load.largest_block);
    if (blocks_kept_ > 1 && load.largest_buffer < std::min(original_.largest_buffer, elements_kept))
      return false;
    return std::all_of(original_.launches.begin(), original_.launches.end(), [&](const auto& each) {
      const auto found = load.launches.find(each.first);
      if (found == load.launches.end()) return false;
      const LaunchRecord &before = each.second, &now = found->second;
      constexpr std::int64_t kThreadsKept = 64, kTurnsKept = 2;
      return now.grid.count() >= std::min(before.grid.count(), blocks_kept_) &&
             now.block.count() >= std::min(before.block.count(), kThreadsKept) &&
             now.count >= std::min(before.count, kTurnsKept);
    });
  }

  RaceCandidate candidate_;
  const Load& original_;
  std::int64_t blocks_kept_, enough_;
  Load load_;
};

// Three blocks where they are few enough threads, else two, else as many as there may be.
void shrink(RaceCandidate& candidate) {
  const std::optional<Load> original =
      load_of(candidate.experiment->system, *candidate.variant, candidate.configuration);
  if (!original) return;  // who runs it says why
  auto [three, load_of_three] = Shrinker(candidate, *original, 3, 0).shrink();
  auto [two, load_of_two] = Shrinker(candidate, *original, 2, kMostRaceThreads / 2).shrink();
  const bool three_are_few = load_of_three.at_once <= kMostRaceThreads / 4;
  if (!three_are_few && load_of_two.at_once <= kMostRaceThreads / 2)
    candidate.configuration = std::move(two);
  else if (load_of_three.at_once <= kMostRaceThreads)
    candidate.configuration = std::move(three);
  else
    candidate.configuration = Shrinker(candidate, *original, 1, kMostRaceThreads).shrink().first;
}

// With the largest problems first.
Experiment descending(Experiment experiment) {
  for (std::vector<Parameter>* quantities : {&experiment.problem, &experiment.cpu_problem})
    for (Parameter& quantity : *quantities)
      std::sort(quantity.values.begin(), quantity.values.end(), std::greater<>());
  for (std::vector<ProblemSize>* sizes : {&experiment.sizes, &experiment.cpu_sizes})
    std::ranges::sort(*sizes, std::greater<>(), &ProblemSize::problem);
  return experiment;
}

// Of each case so many configurations at most, on the largest problem that has any.
std::vector<RaceCandidate> all_candidates(const Experiment& experiment) {
  constexpr std::size_t kMostOfACase = 5000;
  std::vector<RaceCandidate> candidates;
  std::set<const Case*> done;
  const Experiment walked = descending(experiment);
  CaseParts parts(walked, true);
  parts.keep(VariantSpec::Target::cuda);
  try {
    parts.for_each([&](CasePart& part) {
      if (done.contains(&part.each)) return true;
      const VariantSpec* variant = experiment.system.find_variant(part.each.variant);
      std::size_t found = 0;
      part.space.for_each([&](const std::vector<std::uint32_t>& indices) {
        const ConfigurationWalk::Place place{part.each, part.defaults, part.problem, indices};
        candidates.push_back({&experiment, variant, place.configuration(experiment.system.name)});
        return ++found < kMostOfACase;
      });
      if (found != 0) done.insert(&part.each);
      return true;
    });
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  }
  return candidates;
}

// The lower, the better to begin with: by how many threads all launches lack of blocks in which a race can be, then by
// those of the largest block. A block that is large enough in one launch makes up for none in another.
std::pair<std::int64_t, std::int64_t> rank(const RaceCandidate& candidate, const Values& problem) {
  constexpr std::int64_t kEnough = 64, kLast = 1 << 20;
  Configuration small = candidate.configuration;
  small.problem = problem;
  const std::optional<Load> load = load_of(candidate.experiment->system, *candidate.variant, small);
  if (!load) return {kLast, kLast};
  std::int64_t lacking = 0;
  for (const auto& [place, launch] : load->launches)
    lacking += std::max<std::int64_t>(0, kEnough - launch.block.count());
  return {lacking, load->largest_block};
}

// A parameter and one of its values.
using Choice = std::pair<std::string, Value>;

// The choices of parameters that have few.
std::set<Choice> switches(const std::vector<RaceCandidate>& candidates) {
  constexpr std::size_t kFew = 4;
  std::map<std::string, std::set<Value>> values;
  for (const RaceCandidate& candidate : candidates)
    for (const auto& [name, value] : candidate.configuration.parameters) values[name].insert(value);
  std::set<Choice> choices;
  for (const auto& [name, some] : values) {
    if (some.size() > kFew) continue;
    for (const Value& value : some) choices.insert({name, value});
  }
  return choices;
}

std::size_t count_new(const RaceCandidate& candidate, const std::set<Choice>& wanted) {
  const Values& parameters = candidate.configuration.parameters;
  return static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(), [&](const auto& each) {
    return wanted.contains({each.first, each.second});
  }));
}

// Of one variant.
std::vector<RaceCandidate> chosen_of(const std::vector<RaceCandidate>& all) {
  RaceCandidate first = all.front();
  shrink(first);
  std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, const RaceCandidate*>> ranked;
  for (const RaceCandidate& candidate : all)
    ranked.emplace_back(rank(candidate, first.configuration.problem), &candidate);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });

  std::set<Choice> wanted = switches(all);
  std::vector<RaceCandidate> chosen;
  while (chosen.size() < kMostCandidates) {
    const auto best = std::max_element(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
      return count_new(*a.second, wanted) < count_new(*b.second, wanted);
    });
    const RaceCandidate& next = chosen.empty() ? *ranked.front().second : *best->second;
    if (!chosen.empty() && count_new(next, wanted) == 0) break;
    for (const auto& [name, value] : next.configuration.parameters) wanted.erase({name, value});
    shrink(chosen.emplace_back(next));
  }
  return chosen;
}

}  // namespace

std::vector<RaceCandidate> race_candidates(const std::vector<Experiment>& experiments) {
  // By system and variant, in the order in which they come.
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<RaceCandidate>>> variants;
  for (const Experiment& experiment : experiments) {
    for (RaceCandidate& candidate : all_candidates(experiment)) {
      const std::pair key(experiment.system.file.string(), candidate.variant->name);
      auto found =
          std::find_if(variants.begin(), variants.end(), [&](const auto& each) { return each.first == key; });
      if (found == variants.end()) found = variants.insert(variants.end(), {key, {}});
      found->second.push_back(std::move(candidate));
    }
  }
  std::vector<RaceCandidate> chosen;
  for (const auto& [key, candidates] : variants)
    for (RaceCandidate& candidate : chosen_of(candidates)) chosen.push_back(std::move(candidate));
  return chosen;
}

}  // namespace tailwave
