#pragma once

#include "adopt/draft.h"

namespace tailwave {

// The number that a term is, perhaps with a sign or a cast; empty: it is none, or none of that type.
std::optional<Value> literal_value(const CTerm& term, ScalarType type);

// Variables that are numbers come first, of all launches, so that what is computed from them is made of their quantities;
// then quotients of a variable that is not among these.
enum class SizeRound { variables, quotients, derived };

// The scalars of a launch, members of structs among them: from what the host's code passes where the source has a launch
// that can be read, else each is a quantity of the problem of its parameter's name. Fills DraftLaunch::known.
void bind_scalars(Draft& draft, DraftLaunch& launch, SizeRound round);

}  // namespace tailwave
