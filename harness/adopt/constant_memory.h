#pragma once

#include "adopt/draft.h"

namespace tailwave {

// What kernels read of __constant__ memory that has no values in the source: a buffer each, which is copied there before the
// launches. A whole number or a real one alone is a quantity, with the value that the host's code copies where that is to be
// read. What no buffer can be (a struct of several types, a variable in a namespace or a static one) is said to hold zeros.
void adopt_constant_memory(Draft& draft);

}  // namespace tailwave
