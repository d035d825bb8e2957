#pragma once

#include "adopt/draft.h"

namespace tailwave {

// The number that a term is, perhaps with a sign or a cast; empty: it is none, or none of that type.
std::optional<Value> literal_value(const CTerm& term, ScalarType type);

// The scalars of a launch, members of structs among them: from what the host's code passes where the source has a launch
// that can be read, else each is a quantity of the problem of its parameter's name. Fills DraftLaunch::known.
void bind_scalars(Draft& draft, DraftLaunch& launch);

}  // namespace tailwave
