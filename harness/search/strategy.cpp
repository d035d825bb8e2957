#include "search/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "core/error.h"
#include "core/suggestion.h"
#include "search/external.h"
#include "search/kinds.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(
    const std::string& cause,
    const std::string& hint = "'tailwave list strategies' names strategies and their options") {
  throw Error(Diagnostic{.cause = cause, .hint = hint});
}

// Each is kept, since strategies are known by reference.
const StrategyKind& external_of(const std::string& command) {
  static std::mutex adding;
  static std::map<std::string, StrategyKind> known;
  if (command.find_first_not_of(" \t\n") == std::string::npos)
    refuse(fmt::format("strategy '{}' lacks its command", kExternal),
           "as in --strategy 'external:python3 my_search.py'");
  const std::scoped_lock lock(adding);
  return known.try_emplace(command, external_strategy(command)).first->second;
}

}  // namespace

std::span<const StrategyKind> strategies() {
  static const std::array kinds{
      search::exhaustive(),     search::random(),      search::iterated_local_search(),
      search::annealing(),      search::genetic(),     search::differential_evolution(),
      search::particle_swarm(), search::hybrid_vndx(), search::bayesian(),
      search::wave_guided()};
  return kinds;
}

const StrategyKind& find_strategy(const std::string& name) {
  if (name.starts_with(kExternal)) return external_of(name.substr(kExternal.size()));
  std::vector<std::string> names;
  for (const StrategyKind& kind : strategies()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  refuse(fmt::format("unknown strategy '{}'", name),
         suggestion_of_many(name, names, "'tailwave list strategies' says what they are"));
}

Knowledge Knowledge::of(std::vector<std::string> names, std::vector<PointFacts> list) {
  Knowledge knowledge{.names = std::move(names)};
  knowledge.predicts = std::any_of(list.begin(), list.end(),
                                   [](const PointFacts& one) { return !std::isnan(one.predicted_cost); });
  knowledge.facts = [all = std::make_shared<const std::vector<PointFacts>>(std::move(list))](
                        Point point) -> const PointFacts& { return (*all)[point]; };
  return knowledge;
}

StrategyOptions complete_options(const StrategyKind& kind, const std::map<std::string, double>& given) {
  StrategyOptions options;
  std::vector<std::string> names;
  for (const Hyperparameter& one : kind.hyperparameters) {
    options[one.name] = one.default_value;
    names.push_back(one.name);
  }
  for (const auto& [name, value] : given) {
    const auto found = options.find(name);
    if (found == options.end())
      refuse(fmt::format("strategy '{}' has no option '{}'", kind.name, name),
             suggestion_of_many(name, names, "it has none"));
    found->second = value;
  }
  for (const Hyperparameter& one : kind.hyperparameters) {
    const double value = options[one.name];
    if (!(value >= one.least && value <= one.most))
      refuse(fmt::format("option '{}' of strategy '{}' is {:g}, but has to be from {:g} to {:g}", one.name,
                         kind.name, value, one.least, one.most));
    if (one.whole && value != std::floor(value))
      refuse(fmt::format("option '{}' of strategy '{}' is {:g}, but has to be a whole number", one.name,
                         kind.name, value));
  }
  return options;
}

}  // namespace tailwave
