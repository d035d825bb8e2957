#pragma once

#include "adopt/draft.h"

namespace tailwave {

// Conditions of a launch under which loops of its kernel that go by more than one end where they should. Blocks and scalars
// are known by then.
void require_whole_steps(Draft& draft, DraftLaunch& launch);

// "n", or "(n + 6)": for the operands of a division.
std::string as_operand(const Polynomial& value);
// "n % B == 0".
std::string divides_condition(const Polynomial& whole, const Polynomial& by);

}  // namespace tailwave
