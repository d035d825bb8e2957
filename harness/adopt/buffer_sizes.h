#pragma once

#include "adopt/draft.h"

namespace tailwave {

// How many elements each buffer has, from what the host's code allocates, else from the indices that kernels use; what it
// begins with, and whether it is compared. Grids and blocks are known by then.
void decide_buffers(Draft& draft);

}  // namespace tailwave
