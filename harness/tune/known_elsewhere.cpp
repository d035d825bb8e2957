#include "tune/known_elsewhere.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "json/values.h"
#include "search/strategy.h"
#include "store/sweeps.h"
#include "tune/search_cost.h"

namespace tailwave {
namespace {

bool has_several_values(const ProblemSpace& space, const std::string& name) {
  const auto& parameters = space.points().parameters();
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found != parameters.end() && found->values.size() > 1;
}

// What another tuner calls the variant is the kernel's name, which is none of ours.
std::optional<Point> point_of(const ProblemSpace& space, const SweptConfiguration& known) {
  const std::optional<Point> point = space.find(known.variant, known.parameters);
  if (!point) return std::nullopt;
  for (const auto& [name, value] : space.configuration(*point).parameters) {
    const auto there = known.parameters.find(name);
    const bool is_same =
        there == known.parameters.end() ? !has_several_values(space, name) : there->second == value;
    if (!is_same) return std::nullopt;
  }
  return point;
}

using Costs = PriorCosts::Costs;

// Of one problem of a sweep, by point; of two rows for one the cheaper.
Costs costs_of(const ProblemSpace& space, const std::vector<const SweptConfiguration*>& rows) {
  std::map<Point, double> costs;
  for (const SweptConfiguration* row : rows) {
    const std::optional<Point> point = point_of(space, *row);
    if (!point) continue;
    const double cost = swept_cost(*row);
    const auto [place, is_new] = costs.emplace(*point, cost);
    if (!is_new) place->second = std::min(place->second, cost);
  }
  return {costs.begin(), costs.end()};
}

bool ran_enough(const Costs& costs) {
  const auto ran = [](const auto& one) { return one.second < kFailed; };
  return static_cast<std::size_t>(std::ranges::count_if(costs, ran)) >= kFewestKnown;
}

}  // namespace

std::optional<KnownElsewhere> known_elsewhere(const StartSource& source, Database& own,
                                              const std::string& experiment, const DeviceDescription& device,
                                              const ProblemSpace& space, const std::vector<Values>& earlier) {
  if (source.kind == StartSource::Kind::none) return std::nullopt;
  const bool is_own = source.kind == StartSource::Kind::own;
  Database& database = is_own ? own : *source.other;
  std::vector<Costs> places;
  std::size_t most = 0;
  std::string said;
  for (const Sweep& sweep : list_sweeps(database)) {
    if (sweep.kind != device.kind || (is_own && sweep.name() != experiment)) continue;
    std::map<std::string, std::vector<const SweptConfiguration*>> problems;
    const std::vector<SweptConfiguration> rows = load_configurations(database, sweep);
    for (const SweptConfiguration& row : rows) problems[row.problem].push_back(&row);
    for (const auto& [text, of_problem] : problems) {
      const Values problem = from_json(text);
      if (is_own && sweep.device == device.name && std::ranges::find(earlier, problem) == earlier.end())
        continue;
      Costs costs = costs_of(space, of_problem);
      if (!ran_enough(costs)) continue;
      if (costs.size() > most) {
        most = costs.size();
        const std::string where = to_text(problem);
        said = fmt::format("{} on {}{}{}: {} configurations", sweep.name(), sweep.device,
                           where.empty() ? "" : ", ", where, most);
      }
      places.push_back(std::move(costs));
    }
  }
  if (places.empty()) return std::nullopt;
  if (const std::size_t others = places.size() - 1; others > 0)
    said += fmt::format(", and {} other{}", others, others == 1 ? "" : "s");
  return KnownElsewhere{PriorCosts::of(places), std::move(said)};
}

}  // namespace tailwave
