#include "tune/regime_finalists.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tailwave {
namespace {

// Of one problem.
class Choice {
 public:
  Choice(const System& system, std::vector<const RankedTrial*> ranked, std::size_t most)
      : system_(system), ranked_(std::move(ranked)), most_(most) {
    std::ranges::sort(ranked_, {}, [](const RankedTrial* one) { return one->place; });
  }

  ProblemFinalists choose(const std::map<std::string, std::string>& identical) {
    const RankedTrial& winner = *ranked_.front();
    take(winner, FinalistReason::winner);
    take_default(winner.configuration, identical);
    std::set<std::string> variants{winner.configuration.variant};
    for (const RankedTrial* one : ranked_)
      if (one->ratio <= kVariantFactor && variants.insert(one->configuration.variant).second)
        take(*one, FinalistReason::variant);
    for (const RankedTrial* one : ranked_)
      if (one->standing != Standing::slower) take(*one, FinalistReason::tied);
    for (const RankedTrial* one : ranked_)
      if (one->ratio <= 1 + kNearShare) take(*one, FinalistReason::near);
    for (const RankedTrial* one : ranked_)
      if (chosen_.size() < kFewestFinalists && one->ratio <= kVariantFactor) take(*one, FinalistReason::next);
    return result(winner.configuration.problem);
  }

 private:
  void take(const RankedTrial& one, FinalistReason reason) {
    if (chosen_.size() < most_) chosen_.emplace(&one, reason);
  }

  void take_default(const Configuration& winner, const std::map<std::string, std::string>& identical) {
    const Configuration wanted =
        default_configuration(system_, *system_.find_variant(winner.variant), winner.problem);
    const auto twin = identical.find(wanted.name());
    const std::string name = twin == identical.end() ? wanted.name() : twin->second;
    for (const RankedTrial* one : ranked_)
      if (one->configuration.name() == name) take(*one, FinalistReason::standard);
  }

  [[nodiscard]] ProblemFinalists result(const Values& problem) const {
    ProblemFinalists found{.problem = problem, .finalists = {}, .left_out = 0};
    for (const RankedTrial* one : ranked_) {
      const auto reason = chosen_.find(one);
      if (reason != chosen_.end())
        found.finalists.push_back({one->configuration, {one->place, reason->second}});
      else if (one->standing != Standing::slower || one->ratio <= 1 + kNearShare)
        ++found.left_out;
    }
    return found;
  }

  const System& system_;
  std::vector<const RankedTrial*> ranked_;
  std::size_t most_;
  std::map<const RankedTrial*, FinalistReason> chosen_;
};

}  // namespace

std::vector<ProblemFinalists> choose_finalists(const Experiment& experiment,
                                               const std::vector<RankedTrial>& ranked,
                                               const std::map<std::string, std::string>& identical,
                                               std::size_t most) {
  const auto is_of = [&](const std::string& variant, VariantSpec::Target target) {
    const VariantSpec* const found = experiment.system.find_variant(variant);
    return found != nullptr && found->target == target;
  };
  const auto* const asked = std::ranges::find_if(kTargetsByRank, [&](VariantSpec::Target target) {
    return std::ranges::any_of(experiment.cases, [&](const Case& one) { return is_of(one.variant, target); });
  });
  std::map<Values, std::vector<const RankedTrial*>> problems;
  for (const RankedTrial& one : ranked) {
    const std::string& variant = one.configuration.variant;
    if (asked != kTargetsByRank.end() && is_of(variant, *asked))  // else of another edition of the manifest
      problems[one.configuration.problem].push_back(&one);
  }
  std::vector<ProblemFinalists> all;
  for (auto& [problem, of_problem] : problems)
    all.push_back(
        Choice(experiment.system, std::move(of_problem), std::max<std::size_t>(2, most)).choose(identical));
  return all;
}

}  // namespace tailwave
