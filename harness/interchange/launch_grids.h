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

// Of each variant the grid of its main launch, as the manifest has it now: the first launch whose grid has as many blocks as
// were recorded of all its trials, and can be written as code (number_code()). Trials of a variant that has none, as where
// the manifest is another one by now, lose their blocks.
std::map<std::string, GridExpressions> known_grids(const System& system, std::vector<ChoiceTrial>& trials);

}  // namespace tailwave
