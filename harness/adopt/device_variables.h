#pragma once

#include "adopt/draft.h"

namespace tailwave {

// Says which __device__ variables the kernels write, since only buffers are compared, and which ones the host's code fills.
void remark_on_device_variables(Draft& draft);

}  // namespace tailwave
