#pragma once

#include <vector>

#include "space/expression.h"

namespace tailwave {

// What `and` joins in an expression, in its order: of `A and (B or C) and D` these three; of any other the expression itself.
// Where each can be evaluated, the expression is true where all of them are. One that comes first may see to it that a later one
// can be evaluated: `X != 0 and N % X == 0`.
std::vector<Expression> conjuncts(const Expression& expression);

}  // namespace tailwave
