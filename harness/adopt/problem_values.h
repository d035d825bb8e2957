#pragma once

#include "adopt/draft.h"

namespace tailwave {

// What quantities are where the source says nothing, and how large those that are sizes may be on a CPU. Grids and buffers
// are known by then.
void decide_values(Draft& draft);

}  // namespace tailwave
