#include "interchange/launch_grids.h"

#include <algorithm>
#include <variant>

#include "interchange/expression_code.h"
#include "space/ceil_division.h"

namespace tailwave {
namespace {

bool can_be_written(const GridExpressions& grid, const Values& scope) {
  NameCodes names;
  for (const auto& [name, value] : scope) names[name] = {name, std::holds_alternative<std::string>(value)};
  return std::ranges::all_of(grid,
                             [&](const Expression& one) { return number_code(one, names).has_value(); });
}

// Throws ExpressionError.
double blocks_of(const GridExpressions& grid, const Values& scope) {
  double blocks = 1;
  for (const Expression& one : grid) blocks *= one.evaluate_double(scope);
  return blocks;
}

bool has_blocks(const GridExpressions& grid, const ChoiceTrial& trial) {
  const Values scope = trial.configuration.scope();
  try {
    return blocks_of(grid, scope) == *trial.blocks && can_be_written(grid, scope);
  } catch (const ExpressionError&) {
    return false;
  }
}

double overhang_of(const OverhangExpressions& of, const ChoiceTrial& trial) {
  const Values scope = trial.configuration.scope();
  try {
    const double needed = blocks_of(of.needed, scope), full = blocks_of(of.full, scope);
    return full >= 1 && needed > full ? needed / full : 1;
  } catch (const ExpressionError&) {
    return 1;  // of what takes whole numbers alone
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

GridExpressions each_with(std::string_view operation, const GridExpressions& grid) {
  return {with_ceil_div_as(operation, grid[0]), with_ceil_div_as(operation, grid[1]),
          with_ceil_div_as(operation, grid[2])};
}

}  // namespace

OverhangExpressions overhang_expressions(const GridExpressions& grid) {
  return {each_with("/", grid), each_with("//", grid)};
}

std::map<std::string, GridExpressions> known_grids(const System& system, std::vector<ChoiceTrial>& trials) {
  std::map<std::string, std::vector<ChoiceTrial*>> by_variant;
  for (ChoiceTrial& trial : trials)
    if (trial.blocks) by_variant[trial.configuration.variant].push_back(&trial);
  std::map<std::string, GridExpressions> grids;
  for (const auto& [name, of_variant] : by_variant) {
    const VariantSpec* const variant = system.find_variant(name);
    const LaunchSpec* const launch = variant == nullptr ? nullptr : main_launch_of(*variant, of_variant);
    if (launch == nullptr) {
      for (ChoiceTrial* trial : of_variant) trial->blocks.reset();
      continue;
    }
    grids.emplace(name, launch->grid);
    const OverhangExpressions overhang = overhang_expressions(launch->grid);
    for (ChoiceTrial& trial : trials)
      if (trial.configuration.variant == name) trial.overhang = overhang_of(overhang, trial);
  }
  return grids;
}

}  // namespace tailwave
