#pragma once

#include "adopt/draft.h"

namespace tailwave {

// Parameters that are macros or constants of the source and say how large the problem is become quantities of the problem, which
// reach the code as macros all the same: a CPU can have smaller ones. These are numbers from 64 on that an index of blocks
// stays below or that the host's code computes the number of blocks with, and those above 1024 that indices have as a
// stride. Blocks are known by then.
void make_sizes_of_macros(Draft& draft);

}  // namespace tailwave
