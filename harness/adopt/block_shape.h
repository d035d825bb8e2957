#pragma once

#include "adopt/draft.h"

namespace tailwave {

// How many threads a block of the launch has, and which parameters say so: from the host's launch where the source has one
// that can be read, else from what the kernel's code takes for granted. Adds parameters with values to try.
void decide_block(Draft& draft, DraftLaunch& launch);

}  // namespace tailwave
