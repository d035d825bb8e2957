#pragma once

#include "adopt/draft.h"

namespace tailwave {

// How many blocks the launch has, and how many bytes of dynamic shared memory: from the host's launch where the source has
// one that can be read, else from the limits that the kernel's guards hold indices below. The block is known by then.
void decide_grid(Draft& draft, DraftLaunch& launch);

}  // namespace tailwave
