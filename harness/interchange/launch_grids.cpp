#include "interchange/launch_grids.h"

#include <algorithm>
#include <variant>

#include "interchange/expression_code.h"

namespace tailwave {
namespace {

bool can_be_written(const GridExpressions& grid, const Values& scope) {
  NameCodes names;
  for (const auto& [name, value] : scope) names[name] = {name, std::holds_alternative<std::string>(value)};
  return std::ranges::all_of(grid,
                             [&](const Expression& one) { return number_code(one, names).has_value(); });
}

bool has_blocks(const GridExpressions& grid, const ChoiceTrial& trial) {
  const Values scope = trial.configuration.scope();
  try {
    double blocks = 1;
    for (const Expression& one : grid) blocks *= one.evaluate_double(scope);
    return blocks == *trial.blocks && can_be_written(grid, scope);
  } catch (const ExpressionError&) {
    return false;
  }
}

// The first that launches what was recorded of all of them.
const LaunchSpec* main_launch_of(const VariantSpec& variant, const std::vector<ChoiceTrial*>& trials) {
  for (const LaunchSpec& launch : variant.launches) {
    const auto is_its_grid = [&](const ChoiceTrial* trial) { return has_blocks(launch.grid, *trial); };
    if (launch.is_kernel() && std::ranges::all_of(trials, is_its_grid)) return &launch;
  }
  return nullptr;
}

}  // namespace

std::map<std::string, GridExpressions> known_grids(const System& system, std::vector<ChoiceTrial>& trials) {
  std::map<std::string, std::vector<ChoiceTrial*>> by_variant;
  for (ChoiceTrial& trial : trials)
    if (trial.blocks) by_variant[trial.configuration.variant].push_back(&trial);
  std::map<std::string, GridExpressions> grids;
  for (const auto& [name, of_variant] : by_variant) {
    const VariantSpec* const variant = system.find_variant(name);
    const LaunchSpec* const launch = variant == nullptr ? nullptr : main_launch_of(*variant, of_variant);
    if (launch != nullptr)
      grids.emplace(name, launch->grid);
    else
      for (ChoiceTrial* trial : of_variant) trial->blocks.reset();
  }
  return grids;
}

}  // namespace tailwave
