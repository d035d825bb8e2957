#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "interchange/safe_choice.h"
#include "space/expression.h"
#include "spec/system.h"

namespace tailwave {

using GridExpressions = std::array<Expression, 3>;

// The overhang of WaveFit: with a / b, and with a // b, for each ceil_div(a, b) of a grid. 1 where not one block is full.
struct OverhangExpressions {
  GridExpressions needed, full;
};
OverhangExpressions overhang_expressions(const GridExpressions& grid);

// Of each variant the grid of its main launch, as the manifest has it now: the first launch whose grid has as many blocks as
// were recorded of all its trials, and can be written as code (number_code()). Sets the overhang of its trials. Trials of a
// variant that has none, as where the manifest is another one by now, lose their blocks.
std::map<std::string, GridExpressions> known_grids(const System& system, std::vector<ChoiceTrial>& trials);

}  // namespace tailwave
