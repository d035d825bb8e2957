#pragma once

#include "adopt/draft.h"

namespace tailwave {

// Whole numbers that the chosen kernels use under a name become parameters: macros and constants of the file, and names in
// its device code that nothing defines, since somebody gives them a value when it is compiled. Launches are chosen by then.
void adopt_macros(Draft& draft);

}  // namespace tailwave
