#pragma once

#include "adopt/draft.h"

namespace tailwave {

// Sizes of a second problem that configurations are verified with, small and awkward: odd, no multiples of blocks, different
// in each direction. Of a size without a guard whole blocks; what cannot be varied is said.
void decide_verified_sizes(Draft& draft);

}  // namespace tailwave
