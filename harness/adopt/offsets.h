#pragma once

#include "adopt/draft.h"

namespace tailwave {

// Whether a pointer that the host's code passes leads into a buffer: d_x + offset, &d_x[offset].
bool has_offset(const KernelText& kernel, const HostLaunch& launch);

// A buffer is passed from its begin on: guesses so, or leaves the argument to a person where the kernel would read what is
// before that.
void remark_on_offsets(Draft& draft, const DraftLaunch& launch);

}  // namespace tailwave
