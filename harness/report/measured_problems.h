#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "report/neighbours.h"
#include "space/expression.h"
#include "store/database.h"

namespace tailwave {

// What may be changed in a problem without leaving its space.
class SpaceRules {
 public:
  // Of the text of a spec: "constraints" of ours, or the conditions of a T1 file. A text that has neither has no rules.
  static SpaceRules of(const std::string& spec_text);

  // Whether all constraints that are about these names alone allow the values; one about others is about other
  // variants. A constraint that cannot be read or evaluated allows nothing.
  [[nodiscard]] bool allow(const Values& values) const;

 private:
  std::vector<Expression> constraints_;
  bool unreadable_ = false;
};

// The kernels of one variant that an experiment has run on a GPU, here or in another tuner, for one problem.
struct MeasuredProblem {
  std::string experiment, device;  // "nbody/scaling"
  std::string variant, metric;
  Values problem;
  std::vector<std::string> parameters;
  std::vector<std::vector<Value>> values;  // of each parameter; points have their numbers
  MeasuredPoints points;                   // correct and timed; the id is the trial's
  std::vector<std::string> configurations;
  std::set<std::vector<std::uint32_t>> tried;  // values of all that were run, whatever came of it
  SpaceRules rules;                            // of the latest run

  // Where a change leads, as numbers and as values with those of the problem.
  [[nodiscard]] std::vector<std::uint32_t> end_of(const NeighbourChange& change) const;
  [[nodiscard]] Values values_of(const std::vector<std::uint32_t>& numbers) const;
  [[nodiscard]] Values values_at(const NeighbourChange& change) const { return values_of(end_of(change)); }
};

// Of larger problems only so many points are looked at, evenly over their order from the fastest to the slowest.
inline constexpr std::size_t kMostPoints = 20'000;

// Hands on the variants of each problem that have a time, one problem after another: by experiment, device and problem.
// :experiment, :system and :device may each be left out.
void for_each_problem(Database& database, const Values& parameters,
                      const std::function<void(const std::vector<MeasuredProblem>&)>& visit);

}  // namespace tailwave
