#pragma once

#include <cmath>

#include "search/replay.h"

namespace tailwave::fakes {

inline Parameter numbers_to(const std::string& name, std::int64_t last) {
  Parameter parameter{name, {}};
  for (std::int64_t i = 1; i <= last; ++i) parameter.values.emplace_back(i);
  return parameter;
}

inline double number(const Values& values, const std::string& name) {
  return to_double(values.at(name));
}

// A bowl with a fold, with numbers, a bool, a text and a parameter with one value, some 700 points of which every
// thirteenth fails. The optimum is 1, and there is one.
inline RecordedSpace folded_bowl(double scale = 1) {
  const ParameterSpace all({numbers_to("A", 10),
                            numbers_to("B", 8),
                            {"ONLY", {std::int64_t{4}}},
                            {"CACHED", {false, true}},
                            {"LAYOUT", {std::string("rows"), std::string("columns"), std::string("tiles")}},
                            numbers_to("C", 4)},
                           {Expression::parse("A * B <= 30"), Expression::parse("C <= A")});
  RecordedSpace bowl{"folded bowl", "none", SearchSpace::of(all), {}, {}};
  for (Point point = 0; point < bowl.space.size(); ++point) {
    const Values values = bowl.space.values(point);
    const double a = number(values, "A") - 7, b = number(values, "B") - 3, c = number(values, "C") - 2;
    const std::string layout = to_string(values.at("LAYOUT"));
    double cost = 1 + 0.1 * a * a + 0.2 * std::abs(b + 0.5 * a) + 0.3 * c * c;
    if (number(values, "CACHED") == 0) cost += 0.4;
    if (layout != "tiles") cost += layout == "rows" ? 0.25 : 0.6;
    bowl.costs.push_back(point % 13 == 5 && cost > 1 ? kFailed : scale * cost);
  }
  return bowl;
}

inline StrategyOptions defaults(const StrategyKind& kind) {
  return complete_options(kind, {});
}

// The lowest cost after each evaluation.
inline std::vector<double> lowest_of_search(const RecordedSpace& space, const StrategyKind& kind,
                                            const StrategyOptions& options, std::uint64_t seed,
                                            std::size_t evaluations) {
  return lowest_costs(space, replay(space, kind, options, seed, {evaluations}));
}

}  // namespace tailwave::fakes
